"""Words that carry content, negations, numbers, sentences, scope of a wish: Chinese, English and mixed. Pure.

Character windows stand for Chinese words; no segmenter is loaded, so that start-up costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_core.text import fold, words

HAN = re.compile("[\u3400-\u9fff]")

_ENGLISH_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "before",
        "being",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "each",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "let",
        "me",
        "more",
        "most",
        "my",
        "need",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "use",
        "used",
        "user",
        "user's",
        "users",
        "using",
        "very",
        "want",
        "wants",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "prefer",
        "prefers",
        "always",
        "never",
        "must",
        "dont",
        "don't",
        "like",
        "likes",
        "rule",
        "remember",
        "default",
        "every",
        "time",
    ]
)
_CHINESE_FRAME = re.compile(
    "用户近期|用户最近|用户想要?|用户希望|用户要求|用户偏好|用户喜欢|用户在|用户|我希望|我不喜欢|我喜欢|希望|要求|偏好|喜欢|"
    "以后|今后|往后|从现在起|每次|必须|务必|不要|记住|规则|守则|默认|优先|请|关注|了解|在看|想知道|弄清|正在|如何|怎么样?|怎样|"
    "什么|为什么|哪些|是否|可以|能够|应该|应当|需要|一律|统一|都|把|被|将|对于?|关于|进行|使用|采用|的|了|是|在|和|与|及|或|"
    "以及|而且|并且|并|也|就|还|要|会|有|这个|那个|这些|那些|一个|一下|我们|你们|他们|它们|我|你|他|她|它|吧|呢|吗|啊|哦|很|更|最|所有|任何"
)
_NEGATION = re.compile(
    "不要|不得|不能|不可|不应|不准|不许|不再|不必|不用|不需|无需|无须|禁止|切勿|请勿|勿|避免|别|没有|没|不"
    r"|\b(?:not|never|no|don'?t|doesn'?t|didn'?t|won'?t|can'?t|cannot|shouldn'?t|mustn'?t|isn'?t|aren'?t|without|avoid|stop|nor|neither)\b"
)
_NO_NEGATION = re.compile(
    "要不要|是不是|能不能|可不可以|会不会|有没有|不同|不错|不仅|不但|不过|差不多|不断|不管|不论|不止|不然|别的|类别|级别|特别|区别|分别|识别|别名|没问题|no problem|not only"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*|[零一二两三四五六七八九十百千万]+(?=[个条行次位级天秒分层种])")
_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:\.(?=\s)|[。！？!?；;\n]+|$)", re.DOTALL)
_CLAUSE = re.compile(r"[^，,、：:]+")

_QUOTED = re.compile(
    r"“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|\"[^\"]*\"|`[^`]*`|(?<![A-Za-z])'[^']*'(?![A-Za-z])|^>.*$", re.MULTILINE
)
_REPORTED = re.compile(
    "(?:他|她|他们|别人|有人|老板|领导|同事|客户|老师|文档|手册|书|网上|教程|文章|博客|官方|注释|readme|模型|ai)(?:里|上|中|里面)?(?:都|总是|经常)?"
    "(?:说|写|讲|提到|要求|规定|建议|推荐|认为|觉得)"
    r"|\b(?:he|she|they|someone|people|docs?|documentation|readme|manual|article|blog|tutorial|guide|boss|manager|colleague|coworker|spec)"
    r"\s+(?:always\s+|often\s+)?(?:says?|said|writes?|wrote|recommends?|suggests?|states?|claims?|requires?|thinks?)\b|\baccording to\b",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile("[？?]\\s*$")
_QUESTION_WORD = re.compile(
    "(?:吗|呢|么)[。.！!\\s]*$|要不要|是不是|能不能|可不可以|会不会|有没有|该不该|需不需要|用不用|为什么|为何|怎么|怎样|如何|什么时候|什么是|哪个|哪些|哪种|是否|是什么"
    r"|^\s*(?:so\s+|and\s+|but\s+)?(?:how|what|why|when|where|which|who|should|must|do|does|did|is|are|can|could|would|will|shall|may)\b(?!n't)",
    re.IGNORECASE,
)
_THIS_TIME = re.compile(
    "这次|本次|这一次|这回|此次|这个问题|这道题|这一题|这个回答|这条回答|今天|今晚|暂时|临时|目前先|现在先|就这一|仅此一次|只在这|下一个问题|接下来这"
    r"|\b(?:this time|this once|just once|just this|for now|for this|for today|today only|temporarily|right now|in this (?:answer|reply|case|session|chat)|"
    r"this (?:answer|question|reply|task|one|session))\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    "以后|今后|往后|从此|将来|每次|一直|永远|始终|长期|总是|一律|所有"
    r"|\b(?:from now on|always|every time|in (?:the )?future|going forward|from here on|each time|all (?:answers|replies|future))\b",
    re.IGNORECASE,
)
_NO_SIGNAL = re.compile(
    "要不要|需不需要|优先级|优先队列|优先权|优先度|默认构造|默认值|默认方法|默认参数|默认实现|默认端口|默认分支|默认情况|默认行为|默认接口|默认是|默认的|"
    "规则引擎|规则文件|校验规则|路由规则|规则集|规则库|业务规则|正则|匹配规则|命名规则是|记住密码|记住我|记住登录|"
    "如果以后|万一以后|要是以后|别记住|不用记住|不要记住|必须品|"
    r"\b(?:default (?:constructor|value|method|port|branch|implementation)|rule engine|business rules?|validation rules?|prefers? to (?:crash|fail)|"
    r"remember[- ]me|remember (?:the )?password|must[- ]have|don't (?:remember|know|understand|worry|mind)|never ?mind|if i want|what i want)\b",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    "(?:升级|更新|启动|部署|修改|重启|完成|结束|运行|执行|改|加|删|装|合并|发布|迁移|切换|编译|保存|提交|关闭|打开|登录|调用|上线)(?:了|完|过)?[^，,。]{0,6}以后"
)
_AGREEMENT = re.compile(
    "^(?:好的?|嗯|行|可以|同意|没问题|对|是的|就这么(?:做|办|定)|就这样|就按你?(?:说|建议)|按你说的|听你的|照你|采纳|赞成|没意见|ok|okay|yes|yep|sure|agreed|"
    "sounds good|do (?:it|that)|go ahead|fine|exactly|let's do)",
    re.IGNORECASE,
)
_BY_YOUR_WORDS = re.compile(
    "按你说的|按你的建议|就按(?:这个|你)|听你的|照你说的|如你所说|as you (?:said|suggest|propose)|like you said|what you (?:said|suggested|proposed)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about: frames such as 用户关注 and stop words left out."""
    bare = _CHINESE_FRAME.sub(" ", fold(text))
    return frozenset(
        word
        for word in words(bare)
        if word not in _ENGLISH_STOP and not (len(word) == 1 and word.isascii() and word.isalpha())
    )


@lru_cache(maxsize=4096)
def negations(text: str) -> int:
    """How many negations a text carries; 要不要, 不同 and their like are none."""
    return len(_NEGATION.findall(_NO_NEGATION.sub(" ", fold(text).replace("’", "'"))))


@lru_cache(maxsize=4096)
def numbers(text: str) -> frozenset[str]:
    """The numbers in a text, digits and counted Chinese ones."""
    return frozenset(_NUMBER.findall(fold(text)))


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[str, ...]:
    """A text's sentences, with their ends."""
    return tuple(found for match in _SENTENCE.finditer(text) if (found := match[0].strip()))


def clauses(sentence: str) -> tuple[str, ...]:
    """A sentence's clauses."""
    return tuple(found for match in _CLAUSE.finditer(sentence) if (found := match[0].strip()))


def without_quotations(text: str) -> str:
    """The text without what it quotes."""
    return _QUOTED.sub(" ", text)


@lru_cache(maxsize=2048)
def signals_meant(sentence: str, signals: tuple[str, ...]) -> tuple[str, ...]:
    """Signals that a sentence really carries: not inside longer words (A9d), not quoted, not 升级以后."""
    bare = _AFTERWARDS.sub(" ", _NO_SIGNAL.sub(" ", without_quotations(fold(sentence).replace("’", "'"))))
    found: list[str] = []
    for signal in signals:
        wanted = fold(signal)
        if HAN.search(wanted):
            if wanted in bare:
                found.append(signal)
        elif re.search(rf"(?<![a-z0-9_]){re.escape(wanted)}(?![a-z0-9_])", bare):
            found.append(signal)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Mood:
    """How a sentence is meant."""

    question: bool
    reported: bool
    this_time: bool


@lru_cache(maxsize=2048)
def mood(sentence: str, about: frozenset[str]) -> Mood:
    """Question, report of others' words, or a wish for this one time; `about` are the words that one asks after."""
    bare = without_quotations(fold(sentence))
    asks = bool(_QUESTION_MARK.search(bare.rstrip()) or _QUESTION_WORD.search(bare))
    return Mood(asks, bool(_REPORTED.search(bare)), _only_this_time(sentence, about))


def _only_this_time(sentence: str, about: frozenset[str]) -> bool:
    """Whether the clause that speaks of `about`, or the nearest before it that sets a scope, means this time alone."""
    if not _THIS_TIME.search(sentence):
        return False
    parts = clauses(sentence) or (sentence,)
    shares = [len(content_words(part) & about) for part in parts]
    best = shares.index(max(shares))
    for part in (*reversed(parts[: best + 1]), *parts[best + 1 :]):
        if _FROM_NOW_ON.search(part):
            return False
        if _THIS_TIME.search(part):
            return True
    return False


def agrees(text: str) -> bool:
    """Whether a text is an agreement to what the other one said."""
    stripped = fold(text).lstrip(" ，,。.!！")
    return bool(_BY_YOUR_WORDS.search(stripped)) or bool(_AGREEMENT.match(stripped) and len(stripped) <= 40)


def is_chinese(text: str) -> bool:
    """Whether a text is Chinese in the main: at least a fifth of its letters."""
    letters = sum(ch.isalpha() for ch in text)
    return letters > 0 and len(HAN.findall(text)) * 5 >= letters
