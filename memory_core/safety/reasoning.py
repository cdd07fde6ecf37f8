"""Reasoning in prose: what a model thought on its way, and guesses about the user (A6). It is held."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.folding import Folded

Found = tuple[str, int, int]

_GUESS = r"(?:probably|likely|might|may|maybe|seems? to|appears? to|presumably|perhaps|must|could)"
_WISH = r"(?:wants?|wanted|prefers?|likes?|needs?|means?|meant|be (?:asking|looking|hoping|interested|trying|thinking)|is (?:asking|looking|hoping|trying|interested)|want|prefer|like|mean|expects?|cares?|intends?|would (?:like|prefer|want))"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:the user|users?|they|he|she) {_GUESS} (?:also |really |actually |just )?{_WISH}\b|\b{_GUESS} (?:the user|they|he|she) {_WISH}\b",
        r"\blet(?:'s| me| us) (?:think|see|analy[sz]e|consider|figure|break (?:this|it) down|reason|work (?:this|it) out|re-?read|re-?check|double-check)\b",
        r"\b(?:first|now|next|so|then|ok|okay|alright|hmm+),? (?:i|we) (?:need|should|will|must|have|want|can) (?:to )?(?:think|figure|decide|determine|understand|work out|infer|consider|analy[sz]e|check|look|see|find|identify|examine)\b",
        r"\bi (?:should|must) (?:first |now |also )?(?:figure|decide|determine|work out|infer|guess|find out|understand|clarify)\b|\bi (?:need|have|want|ought) to (?:first )?(?:figure|decide|determine|think|work out|infer|consider|reason|understand what|guess)\b|\bi(?:'ll| will) (?:think|reason|work) (?:through|about|step)",
        r"\bi (?:think|guess|assume|suspect|infer|suppose|believe|conclude|gather) (?:that )?(?:the user|they|he|she|this (?:means|implies|suggests))\b|\b(?:my|the) (?:reasoning|chain of thought|thought process|inner monologue|internal reasoning)\b(?:\s?(?:is|was|:|goes))",
        r"\bokay,? so\b|\bhmm+\b[,. ]|\bwait,? (?:no|but|actually|maybe|that)\b|\bactually,? (?:no|wait)\b|\bon second thought\b|\bstep by step,? (?:i|we)\b|\bthinking (?:about|through) (?:this|it|what)\b|^(?:thought|thinking|reasoning|analysis)s?\s?:",
        r"\b(?:therefore|thus|hence|so),? (?:i|we) (?:should|can|will|must|need to|conclude|infer|assume)\b|\bit (?:follows|seems|is likely) that (?:the user|they)\b|\bthis (?:suggests|implies|indicates) (?:that )?(?:the user|they)\b",
        "(?:首先|其次|接下来|然后|现在|那么|所以|因此)[，,]?(?:我|我们)(?:需要|要|应该|得|先|可以|必须)(?:先)?(?:判断|分析|想|思考|推断|弄清|搞清|确定|看看|理解|考虑|推理|检查|找出|区分|假设)",
        "我(?:需要|应该|得|要|先|来|再)(?:先|再|来)?(?:判断|分析(?:一下)?|想想|想一想|思考|推断|弄清|搞清|推理|琢磨|理解用户|猜)|让我(?:们)?(?:来)?(?:先)?(?:想|思考|分析|看看|理一|梳理|推理|仔细)|(?:仔细|再)想(?:想|一下)|等等[，,]|不对[，,]|嗯[，,…。]",
        "我(?:推断|推测|猜测?|估计|认为|觉得|判断|怀疑|假设)(?:出)?[，,]?(?:用户|他|她|对方|这说明|应该是)|(?:推断|推测|猜测|估计|由此可见|可以推断|可见|看来|说明|意味着)(?:出)?[，,]?(?:他|她|用户|对方)(?:大概|可能|或许|应该|其实|更|是|想|真正)",
        "(?:他|她|用户|对方)(?:大概|可能|或许|应该|似乎|看起来|好像|恐怕|多半|也许)(?:是|会|更|还|真正|其实)?(?:更)?(?:想|喜欢|希望|偏好|倾向|关心|在意|期待|打算|指的)",
        "(?:一步一步|一步步|逐步)(?:地)?(?:想|分析|推|思考)|综上(?:所述)?[，,]?(?:我|用户|可以)|(?:我的)?(?:思考|推理|思维)(?:过程|链|步骤)(?:是|如下|为|[：:])|^(?:思考|推理|分析过程|思路)[：:]|真正想(?:问|要|知道)的(?:是|应该)",
    )
)


def find_reasoning(folded: Folded) -> Iterator[Found]:
    """The first stretch that reads like thinking aloud."""
    for pattern in _PATTERNS:
        match = pattern.search(folded.lower)
        if match is not None:
            yield "reasoning", match.start(), match.end()
            return
