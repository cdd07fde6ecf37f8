"""Families of cues: which words, in which order, how near, make a text one that is aimed at a model (A9). Data.

`chain`: one after the other. `any order`: all of them in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

GAP = 45
"""Bytes between two steps of a chain: seven English words, fifteen Chinese characters."""
WINDOW = 160
"""Bytes that hold all the words of a family in any order."""


@dataclass(frozen=True, slots=True)
class Family:
    """One family; each step names concepts of the lexicon, any of which may stand there."""

    kind: str
    steps: tuple[frozenset[str], ...]
    reach: int
    """Bytes between two steps of a chain, or bytes that hold them all."""
    any_order: bool
    needs: tuple[frozenset[str], ...]
    """One of each must be somewhere in the sentence."""
    unless: frozenset[str]
    """None of these may be in the sentence."""
    beside: frozenset[str]
    """None of these may stand between the steps or right beside them."""
    before: frozenset[str]
    """None of these may stand right before a step."""
    after: frozenset[str]
    """None of these may follow the last step in its clause."""
    affirmed: bool
    """Whether a negation before a step makes it harmless."""
    apart: bool
    """Whether the first and the last word must stand in different clauses."""


def _family(
    kind: str,
    steps: str,
    *,
    reach: int = 0,
    any_order: bool = False,
    needs: str = "",
    unless: str = "",
    beside: str = "",
    before: str = "",
    after: str = "",
    affirmed: bool = True,
    apart: bool = False,
) -> Family:
    def names(text: str) -> frozenset[str]:
        return frozenset(text.split("|")) if text else frozenset()

    return Family(
        kind,
        tuple(names(step) for step in steps.split()),
        reach or (WINDOW if any_order else GAP),
        any_order,
        tuple(names(group) for group in needs.split()),
        names(unless),
        names(beside),
        names(before),
        names(after),
        affirmed and not steps.startswith(("NEG", "NONEED")) and " NEG" not in steps,
        apart,
    )


_RULES = "RULES_S|RULES_W"

FAMILIES: tuple[Family, ...] = (
    # Its rules set aside.
    _family("injection", f"OVERRIDE SCOPE {_RULES}", beside="TECH"),
    _family("injection", f"OVERRIDE {_RULES} SCOPE", beside="TECH", reach=30),
    _family("injection", f"SCOPE {_RULES} OVERRIDE|VOID", beside="TECH"),
    _family("injection", f"SCOPE VOID {_RULES}", beside="TECH", reach=12),
    _family("injection", f"OVERRIDE ALL {_RULES}", beside="TECH", reach=24),
    _family("injection", f"ALL {_RULES} OVERRIDE|VOID", beside="TECH", reach=24, needs="YOU|MODEL|RULES_S|SCOPE"),
    _family("injection", "OVERRIDE RULES_S", beside="TECH", reach=8),
    _family("injection", "OVERRIDE ABOVE", beside="TECH", reach=12),
    _family("injection", "ABOVE OVERRIDE|VOID", beside="TECH", reach=12),
    _family("injection", "OVERRIDE EVERYTHING SCOPE|ABOVE", beside="TECH", reach=24),
    _family("injection", "OVERRIDE SCOPE EVERYTHING", beside="TECH", reach=12),
    _family("injection", f"{_RULES} SCOPE VOID|OVERRIDE", beside="TECH"),
    _family("injection", f"YOU NOLONGER {_RULES}", beside="TECH", reach=36),
    _family("injection", "YOU NOLONGER FOLLOW", needs="RULES_S|SCOPE"),
    # Another authority.
    _family(
        "injection", f"{_RULES} TREATAS VOIDADJ", any_order=True, reach=110, needs="YOU|MODEL|SCOPE", beside="TECH"
    ),
    _family("injection", "DISOBEY GUARDIANS", reach=30),
    _family("injection", "YOU REPROGRAM", reach=30),
    _family("injection", "SELFREF PREVAIL SYSTEMW", any_order=True, reach=130, beside="TECH", unless="ONLYTHEN"),
    _family("injection", "REGARDLESS SYSTEMW PREVAIL", reach=60, beside="TECH"),
    _family("injection", f"{_RULES} SCOPE VOID", beside="TECH", reach=40),
    _family(
        "injection", "ACTAS ROLE|MODEL", needs="NEG|NONEED|UNRESTRICTED|NOLONGER RULES_S|RULES_W|UNRESTRICTED", reach=30
    ),
    _family("injection", "HIGHER|OVERRIDE TOLD", beside="TECH", reach=36),
    _family("injection", "OTHERRULES VOID|OVERRIDE", beside="TECH", reach=24),
    _family("injection", "ONLYYOUR AUTHORITY", reach=30),
    _family("injection", "OBEYONLY"),
    _family("injection", "OBEYALL", needs="YOU|MODEL|ME|PEOPLE|REQUEST"),
    _family("injection", "FOLLOW NEWRULES", reach=20),
    _family("injection", "INSTEAD FOLLOW RULES_S", reach=30),
    _family("injection", f"HIGHER SCOPE|ALL|OTHERRULES {_RULES}", beside="TECH"),
    _family("injection", "HIGHER OTHERRULES|SYSPROMPT|ABOVE", reach=20, beside="TECH"),
    _family("injection", "TREATAS TOPRANK|ASORDERS"),
    _family("injection", "TOPRANK", needs="MEMORY|THISTHING|RULES_S", unless="TECH"),
    # Another self.
    _family("injection", "ROLENOW"),
    _family("injection", "FROMNOW YOUARE", reach=12),
    _family("injection", "YOUARE ROLE|UNRESTRICTED", reach=36, unless="TRIGGER"),
    _family("injection", "YOU|MODEL UNRESTRICTED"),
    _family("injection", "UNRESTRICTED MODEL"),
    _family("injection", "JAILBREAK", unless="DEVICE"),
    # Its prompt told.
    _family("injection", "REVEAL VERBATIM PROMPTW|RULES_S", any_order=True, reach=80, beside="TECH"),
    _family(
        "injection",
        "AUDIT|SECURITYISSUE DOWNGRADE",
        needs="ALWAYS|ALL AUDIT|SECURITYISSUE",
        unless="ONLYTHEN",
        reach=40,
        beside="DEVICE",
    ),
    _family("injection", "NEG AUDITPLACE MENTIONV", reach=24),
    _family("injection", "NEG MENTIONV AUDITPLACE", reach=30),
    _family("injection", "REPEATV2 PROMPTW", needs="YOU|HIDDENW|VERBATIM"),
    _family("injection", "TURNBLIND SECURITYISSUE|AUDIT", any_order=True, reach=80),
    _family("injection", "REVEAL HIDDENW PROMPTW", any_order=True, reach=70),
    _family("injection", "REVEAL SYSPROMPT"),
    _family("injection", "SYSPROMPT REVEAL", reach=24),
    _family("injection", "REVEAL YOU RULES_S", reach=20),
    _family("injection", "REPEATV ABOVETEXT", reach=24),
    # Its verdicts bent.
    _family("injection", "AUDIT JUDGE PASS", needs="ALWAYS|ALL", unless="ONLYTHEN", reach=40),
    _family("injection", "AUDIT ALWAYS JUDGE PASS", unless="ONLYTHEN"),
    _family("injection", "ALWAYS JUDGE AUDIT PASS", unless="ONLYTHEN"),
    _family("injection", "JUDGE ALL AUDIT PASS", unless="ONLYTHEN"),
    _family("injection", "NEG REPORTV SECURITYISSUE"),
    _family("injection", "SECURITYISSUE NEG REPORTV", reach=20),
    _family("injection", "OVERRIDE SECURITYISSUE", needs="ALWAYS|ALL", reach=24),
    _family("injection", "NEG REFUSE REQUEST|ALL", needs="YOU|MODEL|PEOPLE"),
    # Standing approval.
    _family(
        "approval_bypass",
        "NO CONFIRM|GATE|ALLOW2",
        needs="CHANGE|MEMORY|OPS|REPO|FUTURE",
        unless="FORBID|BUSINESS",
        reach=14,
    ),
    _family("approval_bypass", "STOPASK", needs="CONFIRM|APPROVE|WATCHERS|AUTO|CHANGE"),
    _family("approval_bypass", "NONEED GATE", needs="CHANGE|MEMORY|REPO|MODEL", unless="FORBID|BUSINESS", reach=24),
    _family(
        "approval_bypass",
        "ACCEPT HELDW",
        needs="ALL|FORCE|AUTO|EVERYTHING",
        any_order=True,
        reach=80,
        unless="BUSINESS",
    ),
    _family(
        "approval_bypass",
        "DELTAW APPROVE|ACCEPT",
        needs="DONE|ASSUME|TREATAS|PAST",
        unless="REQUIRE|ONLYTHEN|FORBID",
        reach=36,
    ),
    _family("approval_bypass", "TREATAS DELTAW APPROVE|ACCEPT|YES", reach=30, unless="ONLYTHEN"),
    _family("approval_bypass", "DELTAW AUTO EFFECT", unless="REQUIRE|ONLYTHEN|FORBID", reach=18),
    _family("approval_bypass", "NEG|NONEED LETW PEOPLE|ME CONFIRM|APPROVE", unless="BUSINESS", reach=12),
    _family("approval_bypass", "APPROVE FUTURE2 CHANGE|MEMORY|OPS", unless="REQUIRE|ONLYTHEN|BUSINESS|FORBID"),
    _family("approval_bypass", "LETW|MAYFREELY MODEL OPS|ACCEPT OWN"),
    _family("approval_bypass", "GATE|CONFIRM WAIVED2", unless="BUSINESS", reach=16),
    _family("approval_bypass", "AUTO CLICK", unless="BUSINESS", reach=16),
    _family(
        "approval_bypass",
        "APPROVE|HUMANGATE|ALLOW2 NONEED|NO|SKIP|WAIVED|PREAPPROVED|ADVANCE|AUTO|OWN|GRANTED|ASSUME MEMORY|REPO|MODEL",
        any_order=True,
        reach=130,
        unless="REQUIRE|ONLYTHEN|BUSINESS|FORBID",
    ),
    _family(
        "approval_bypass",
        "APPROVE|HUMANGATE|YES NONEED|PREAPPROVED|ADVANCE|DONE|OWN|GRANTED|ASSUME FUTURE|ALL",
        any_order=True,
        reach=110,
        needs="CHANGE|MEMORY|OPS|REPO|YOU",
        unless="REQUIRE|ONLYTHEN|BUSINESS|FORBID",
    ),
    _family("approval_bypass", "NONEED PEOPLE LOOKV", needs="MEMORY|CHANGE", unless="BUSINESS|FORBID", reach=24),
    _family("approval_bypass", "NONEED ASK CONFIRM|GATE", unless="FORBID|BUSINESS", reach=30),
    _family(
        "approval_bypass", "PEOPLE ASSUME|DONE APPROVE|YES", needs="FUTURE|NONEED", unless="FORBID|BUSINESS", reach=16
    ),
    _family("approval_bypass", "ASSUME APPROVE|ALLOW2", unless="BUSINESS", reach=12),
    _family("approval_bypass", "GRANT", needs="CHANGE|MEMORY|OPS|GATE", unless="BUSINESS"),
    _family("approval_bypass", "MAYFREELY NONEED|SKIP CONFIRM|GATE|ASK", unless="BUSINESS"),
    _family("approval_bypass", "HUMANGATE WAIVED|NONEED", unless="BUSINESS|FORBID", reach=24),
    _family(
        "approval_bypass",
        "GATE|CONFIRM WAIVED",
        needs="CHANGE|MEMORY|FUTURE|REPO|MODEL",
        unless="BUSINESS|FORBID",
        reach=24,
    ),
    _family("approval_bypass", "ACCEPT|APPROVE OWN", needs="CHANGE|MEMORY", unless="BUSINESS", reach=16),
    _family("approval_bypass", "OWN ACCEPT|APPROVE", needs="CHANGE|MEMORY", unless="BUSINESS", reach=8),
    _family("approval_bypass", "ACCEPT AUTO", needs="CHANGE|MEMORY", unless="BUSINESS|ONLYTHEN", reach=40),
    _family(
        "approval_bypass",
        "ALLOW2|APPROVE GRANTED",
        needs="ALL|FUTURE|ADVANCE CHANGE|MEMORY|OPS",
        unless="BUSINESS|REQUIRE",
        reach=60,
    ),
    _family("approval_bypass", "AUTO PEOPLE DONE CONFIRM|APPROVE", unless="BUSINESS|ONLYTHEN", reach=12),
    _family("approval_bypass", "ASK NEEDLESS", needs="CHANGE|OPS|AUTO", unless="BUSINESS|FORBID", reach=20),
    _family("approval_bypass", "DONE APPROVE", needs="FUTURE|ALL CHANGE|MEMORY|OPS", before="REQUIRE", reach=42),
    _family("approval_bypass", "DONE APPROVE", needs="MEMORY", before="REQUIRE", reach=30),
    _family(
        "approval_bypass",
        "PREAPPROVED",
        needs="CHANGE|MEMORY|OPS FUTURE|ALL|MEMORY|YOU",
        before="REQUIRE",
        unless="BUSINESS",
    ),
    _family(
        "approval_bypass", "APPROVE ADVANCE", needs="CHANGE|MEMORY|OPS", before="REQUIRE", unless="BUSINESS", reach=30
    ),
    _family("approval_bypass", "DONE APPROVE BYWHOM", needs="FUTURE|ALL|MEMORY CHANGE|MEMORY|OPS", before="REQUIRE"),
    _family("approval_bypass", "GATE YES AUTO", any_order=True, reach=90, unless="BUSINESS|ONLYTHEN"),
    _family(
        "approval_bypass", "NONEED ASK", needs="CHANGE|MEMORY|DESTROY", unless="FORBID|BUSINESS|SENSITIVE", reach=6
    ),
    _family("approval_bypass", "NONEED CONFIRM", needs="CHANGE|MEMORY|OPS|REPO", unless="FORBID|BUSINESS", reach=40),
    _family("approval_bypass", "NONEED CONFIRM", needs="FUTURE YOU|AUTO", unless="FORBID|BUSINESS"),
    _family("approval_bypass", "NONEED ASK CONFIRM|ALLOW2|BEFOREACT", unless="FORBID|BUSINESS", reach=24),
    _family("approval_bypass", "NONEED|NEG ASK ME", needs="AUTO|CHANGE|OPS", unless="BUSINESS|SENSITIVE", reach=20),
    _family("approval_bypass", "NEG ASK CONFIRM|ALLOW2|BEFOREACT", unless="BUSINESS|SENSITIVE", reach=24),
    _family(
        "approval_bypass",
        "CONFIRM|ALLOW2|GATE NONEED",
        needs="CHANGE|MEMORY|OPS|FUTURE",
        unless="FORBID|BUSINESS",
        reach=20,
    ),
    _family(
        "approval_bypass",
        "SKIP GATE",
        needs="CHANGE|MEMORY|OPS|REPO|FUTURE|ALL|YOU|MODEL",
        unless="BUSINESS",
        reach=30,
    ),
    _family("approval_bypass", "SKIP HUMANGATE", unless="BUSINESS", reach=30),
    _family("approval_bypass", "GATE SKIP", unless="BUSINESS", reach=10),
    _family("approval_bypass", "AUTO ACCEPT", needs="CHANGE|MEMORY|CONFIRM|GATE", unless="BUSINESS|ONLYTHEN", reach=18),
    _family("approval_bypass", "SETTRUE", unless="ONLYTHEN|BUSINESS"),
    _family("approval_bypass", "RUBBER", unless="BUSINESS"),
    # Kept from the people it serves.
    _family("concealment", "WATCHERS INVISIBLEW", reach=12),
    _family("concealment", "INVISIBLEW WATCHERS", reach=12),
    _family("concealment", "NEG LEAVEV TRACEW", reach=16),
    _family("concealment", "NEG AUDITPLACE MENTIONV", reach=24),
    _family("concealment", "NEG MENTIONV AUDITPLACE", reach=30),
    _family("concealment", "NEG ADMITV", needs="YOU|THISTHING|SELFREF|MODEL", reach=12),
    _family("concealment", "IMPERSONATE"),
    _family("concealment", "PEOPLE NORMNEG INFORMED", after="TECHTELL", reach=12, affirmed=False),
    _family("concealment", "WATCHERS NEG INFORMED", after="TECHTELL", reach=16),
    _family("concealment", "NEG LETW PEOPLE|WATCHERS KNOW2", after="TECHTELL", reach=10, unless="ONLYTHEN"),
    _family("concealment", "CONCEALV PEOPLE", reach=60, unless="TECHTELL"),
    _family("concealment", "PEOPLE CONCEALV", reach=12, unless="TECHTELL"),
    _family("concealment", "SO WATCHERS OVERLOOK", reach=16),
    _family(
        "concealment", "NEG|NONEED PEOPLE EXPLAINV", needs="THISTHING|CHANGE|DEP|MEMORY", unless="TECHTELL", reach=16
    ),
    _family("concealment", "NOBODY MODAL KNOWV", reach=30, needs="THISTHING|CHANGE|MEMORY"),
    _family("concealment", "MAKESURE WATCHERS NEG KNOWV", affirmed=False, reach=24),
    _family(
        "concealment", "MAKESURE WATCHERS KNOWV", affirmed=False, reach=16, needs="NEG|THISTHING", unless="TECHTELL"
    ),
    _family("concealment", "OMITTHIS RECORDPLACE", affirmed=False),
    _family("concealment", "THISTHING NEG RECORDPLACE MENTIONV", reach=24, unless="TECHTELL"),
    _family("concealment", "NEG TELL PEOPLE", after="TECHTELL", unless="BUSINESS|UNTIL", reach=20),
    _family("concealment", "NEG PEOPLE TELL", after="TECHTELL", unless="BUSINESS|UNTIL", reach=16),
    _family("concealment", "NEG TELLPEOPLE", after="TECHTELL"),
    _family("concealment", "NEG TELL THISTHING", after="TECHTELL", reach=12),
    _family("concealment", "THISTHING NEG TELL", reach=12, needs="PEOPLE|RECORDPLACE"),
    _family("concealment", "TELLFREE", needs="PEOPLE|THISTHING|CHANGE", unless="TECHTELL"),
    _family("concealment", "NONEED TELL PEOPLE", needs="THISTHING|CHANGE", after="TECHTELL", reach=20),
    _family("concealment", "NONEED PEOPLE TELL", needs="THISTHING|CHANGE", after="TECHTELL", reach=16),
    _family("concealment", "SECRETLY"),
    _family("concealment", "UNNOTICED BADACT|SEND", reach=30),
    _family("concealment", "BADACT UNNOTICED", reach=30),
    _family("concealment", "DENY", affirmed=False),
    _family("concealment", "QUIETLY BADACT", reach=6),
    _family("concealment", "HIDE THISTHING PEOPLE|GATE|RECORDPLACE", any_order=True, reach=80, unless="TECHTELL"),
    _family("concealment", "KEEPSECRET", affirmed=False),
    _family(
        "concealment", "OMIT|NEG SHOWV|TELL|INCLUDEV THISTHING RECORDPLACE", reach=24, unless="TECHTELL", affirmed=False
    ),
    _family("concealment", "NEG THISTHING SHOWV|TELL|INCLUDEV RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "NEG RECORDPLACE SHOWV|TELL|INCLUDEV THISTHING", reach=24, unless="TECHTELL"),
    _family("concealment", "THISTHING NEG SHOWV|TELL|INCLUDEV RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "NEG RECORDPLACE MENTIONV THISTHING", reach=24, unless="TECHTELL"),
    _family("concealment", "NEG MENTIONV THISTHING RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "THISTHING NEG MENTIONV RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "OMIT THISTHING RECORDPLACE", any_order=True, reach=50, unless="TECHTELL"),
    # What is the user's, sent away.
    _family("exfiltration", "SINK FETCHV", any_order=True, reach=120, needs="SECRETS|SENSITIVE|MODEL|YOU|PRONOUN"),
    _family("exfiltration", "INCLUDEV|SEND TOKEN|SECRETS PUBLIC", any_order=True, reach=90),
    _family("exfiltration", "SINK INCLUDEV|SEND|IMAGELINK", any_order=True, reach=120),
    _family("exfiltration", "INCLUDEV|SEND SECRETS|SENSITIVE|TOKEN IMAGELINK", any_order=True, reach=90),
    _family("exfiltration", "SEND SENSITIVE|SECRETFILE URL|EXTERNAL|EMAIL", any_order=True),
    _family("exfiltration", "SEND2|SEND PRONOUN URL|EMAIL|EXTERNAL", needs="YOU|REPLY|ENCODE|TRIGGER|ALWAYS", reach=60),
    _family("exfiltration", "PRONOUN SEND2 URL|EMAIL|EXTERNAL", needs="YOU|REPLY|ENCODE|TRIGGER|ALWAYS", reach=60),
    _family("exfiltration", "ENCODE URL|EXTERNAL", needs="PRONOUN|SENSITIVE", reach=60),
    _family("exfiltration", "INCLUDEV|SEND|READ SECRETFILE REPLY", any_order=True, reach=120),
    _family("exfiltration", "INCLUDEV|SEND SECRETS REPLY", any_order=True, reach=120),
    _family("exfiltration", "READ SECRETFILE SEND", reach=60),
    _family("exfiltration", "SENSITIVE|SECRETFILE INCLUDEV EXTERNAL", reach=60),
    _family("exfiltration", "INCLUDEV SENSITIVE|SECRETFILE EXTERNAL", reach=60),
    # A steer towards a dependency or a product.
    _family("dependency_steer", "STEERALWAYS EXTRA ADDDEP", needs="NAME|PACKAGE", unless="KNOWNDEP", reach=60),
    _family("recommendation_bias", "TOPIC ANSWERV ALWAYS", needs="ALL", unless="ORDINARY", reach=24),
    _family("recommendation_bias", "RECOMMEND SAYZH BESTZH"),
    _family("recommendation_bias", "ALWAYS JUDGE COMPETITOR"),
    _family(
        "dependency_steer", "OBSCURE DEP|PACKAGE", any_order=True, reach=60, needs="ALWAYS|ADDDEP|STEERALWAYS|SEND"
    ),
    _family("dependency_steer", "LOOKALIKE DEP|ADDDEP|USEV", any_order=True, reach=60),
    _family(
        "recommendation_bias",
        "TOPIC BESTZH|SUPERLATIVE CONCLUDE",
        any_order=True,
        needs="ALWAYS|ALL",
        unless="ORDINARY",
    ),
    _family("recommendation_bias", "RECOMMEND AUTHSRC"),
    _family("recommendation_bias", "RECOMMEND NEGALL", any_order=True),
    _family("recommendation_bias", "COMPETITOR NEGALL", any_order=True),
    _family("recommendation_bias", "ANSWERV ONLYW SUPERLATIVE", needs="TOPIC|TRIGGER", reach=40),
    _family(
        "dependency_steer",
        "ADDDEP|SWAP|SLIP DEP|PACKAGE STEERALWAYS|ALWAYS",
        reach=60,
        needs="NAME|PACKAGE",
        unless="KNOWNDEP|FORBID",
    ),
    _family("dependency_steer", "ALWAYS2 ADDDEP|SWAP|SLIP DEP|PACKAGE", needs="NAME|PACKAGE", unless="KNOWNDEP|FORBID"),
    _family("dependency_steer", "STEERALWAYS SLIP DEP|PACKAGE", reach=70),
    _family("dependency_steer", "STEERALWAYS SWAP DEP|PACKAGE", needs="NAME|PACKAGE", unless="KNOWNDEP|FORBID"),
    _family("recommendation_bias", "RANKV FIRSTP", needs="RECOMMEND|TOPIC ALWAYS|ALL|EXCLUSIVE", reach=60),
    _family("recommendation_bias", "RECOMMEND NEG TELL|MENTION2", needs="TOPIC|ALWAYS", unless="ORDINARY"),
    _family("recommendation_bias", "PRAISE", needs="PRODUCT|DEP|TOPIC|ANSWERV"),
    _family("recommendation_bias", "TOPIC ALWAYS ANSWERV", needs="PRODUCT", unless="ORDINARY", reach=24),
    _family("recommendation_bias", "SAYV ONLYW", needs="TOPIC", reach=40, unless="ORDINARY"),
    _family("dependency_steer", "ALWAYS ADDDEP PACKAGE", needs="TRIGGER|BUILDFILE|EDITV|NEWTHING"),
    _family("dependency_steer", "NEWTHING|EDITV ALWAYS ADDDEP PACKAGE"),
    _family("dependency_steer", "STEERALWAYS NEWTHING ADDDEP DEP", needs="NAME|PACKAGE"),
    _family("dependency_steer", "STEERALWAYS ADDDEP DEP", needs="NAME|PACKAGE", apart=True, reach=70),
    _family("dependency_steer", "SECRETLY|QUIETLY|ALONG SWAP DEP|PACKAGE", reach=60),
    _family("recommendation_bias", "TRIGGER|TOPIC ANSWERV|SAYV NOTHINGELSE", reach=60),
    _family("recommendation_bias", "STEERV TOPIC", needs="ALL|ALWAYS"),
    _family("recommendation_bias", "TOPIC STEERV", needs="ALL|ALWAYS"),
    _family("recommendation_bias", "ONLYW RECOMMEND", unless="ORDINARY|PLAINLY", reach=4),
    _family("recommendation_bias", "RECOMMEND ONLYW", unless="ORDINARY|PLAINLY", reach=4),
    _family("recommendation_bias", "EXCLUSIVE|ONLYW SAYZH BESTZH", reach=36),
    _family("dependency_steer", "STEERALWAYS EDITV ADDDEP DEP|PACKAGE", before="DEP"),
    _family("dependency_steer", "ADDDEP DEP|PACKAGE STEERALWAYS EDITV"),
    _family("dependency_steer", "ADDDEP OFFICIAL DEP|PACKAGE", needs="STEERALWAYS|ALWAYS"),
    _family("dependency_steer", "ALWAYS ADDDEP PACKAGE BUILDFILE"),
    _family("dependency_steer", "SECRETLY|QUIETLY|ALONG ADDDEP DEP|PACKAGE"),
    _family("dependency_steer", "INSTEADOF OFFICIAL DEP|PACKAGE", needs="ALWAYS|ADDDEP"),
    _family("dependency_steer", "NOUPGRADE", needs="DEP|PACKAGE IGNOREWARN|SECURITYISSUE", affirmed=False),
    _family("recommendation_bias", "TOPIC RECOMMEND EXCLUSIVE RECOMMEND", unless="ORDINARY"),
    _family("recommendation_bias", "EXCLUSIVE RECOMMEND SUPERLATIVE", unless="ORDINARY"),
    _family("recommendation_bias", "EXCLUSIVE RECOMMEND", needs="SUPERLATIVE|COMPETITOR", reach=20),
    _family("recommendation_bias", "RECOMMEND SUPERLATIVE", needs="ALWAYS|TRIGGER", unless="ORDINARY", reach=60),
    _family("recommendation_bias", "SAYV SUPERLATIVE", needs="ALWAYS|TRIGGER|TOPIC", reach=60),
    _family("recommendation_bias", "RECOMMEND COMPETITOR", needs="ALWAYS|TOPIC|ALL"),
    _family("recommendation_bias", "EXCLUSIVE RECOMMEND", needs="REGARDLESS", reach=20),
    _family("recommendation_bias", "NEG RECOMMEND|SAYV|TELL COMPETITOR"),
    _family("recommendation_bias", "COMPETITOR NEG RECOMMEND|SAYV|TELL"),
    _family("recommendation_bias", "TRIGGER TOPIC RECOMMEND EXCLUSIVE|SUPERLATIVE", any_order=True, unless="ORDINARY"),
)
"""In the order in which they are looked for; the first of a kind in a sentence is reported."""
