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
    # Another authority.
    _family("injection", "ONLYYOUR AUTHORITY", reach=30),
    _family("injection", "OBEYONLY"),
    _family("injection", "OBEYALL", needs="YOU|MODEL|ME|PEOPLE|REQUEST"),
    _family("injection", "FOLLOW NEWRULES", reach=20),
    _family("injection", "INSTEAD FOLLOW RULES_S", reach=30),
    _family("injection", f"HIGHER SCOPE|ALL|OTHERRULES {_RULES}", beside="TECH"),
    _family("injection", "HIGHER OTHERRULES|SYSPROMPT|ABOVE", reach=20, beside="TECH"),
    _family("injection", "TREATAS TOPRANK", reach=24),
    _family("injection", "TOPRANK", needs="MEMORY|THISTHING|RULES_S", unless="TECH"),
    # Another self.
    _family("injection", "ROLENOW"),
    _family("injection", "FROMNOW YOUARE", reach=12),
    _family("injection", "YOUARE ROLE|UNRESTRICTED", reach=36, unless="TRIGGER"),
    _family("injection", "YOU|MODEL UNRESTRICTED"),
    _family("injection", "UNRESTRICTED MODEL"),
    _family("injection", "JAILBREAK", unless="DEVICE"),
    # Its prompt told.
    _family("injection", "REVEAL SYSPROMPT"),
    _family("injection", "SYSPROMPT REVEAL", reach=24),
    _family("injection", "REVEAL YOU RULES_S", reach=20),
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
    _family("approval_bypass", "DONE APPROVE", needs="FUTURE|ALL CHANGE|MEMORY|OPS", before="REQUIRE", reach=30),
    _family("approval_bypass", "DONE APPROVE", needs="MEMORY", before="REQUIRE", reach=30),
    _family("approval_bypass", "NONEED CONFIRM", needs="CHANGE|MEMORY|OPS", unless="FORBID|BUSINESS", reach=30),
    _family("approval_bypass", "NONEED CONFIRM", needs="FUTURE YOU|AUTO", unless="FORBID|BUSINESS"),
    _family("approval_bypass", "NONEED ASK CONFIRM|ALLOW2|BEFOREACT", unless="FORBID|BUSINESS", reach=24),
    _family("approval_bypass", "NONEED|NEG ASK ME", needs="AUTO|CHANGE|OPS", unless="BUSINESS|SENSITIVE", reach=20),
    _family("approval_bypass", "NEG ASK CONFIRM|ALLOW2|BEFOREACT", unless="BUSINESS|SENSITIVE", reach=24),
    _family(
        "approval_bypass", "CONFIRM|ALLOW2 NONEED", needs="CHANGE|MEMORY|OPS|FUTURE", unless="FORBID|BUSINESS", reach=20
    ),
    _family("approval_bypass", "SKIP GATE", unless="BUSINESS", reach=30),
    _family("approval_bypass", "GATE SKIP", unless="BUSINESS", reach=10),
    _family("approval_bypass", "AUTO ACCEPT", needs="CHANGE|MEMORY", unless="BUSINESS|ONLYTHEN", reach=18),
    _family("approval_bypass", "SETTRUE", unless="ONLYTHEN|BUSINESS"),
    _family("approval_bypass", "RUBBER", unless="BUSINESS"),
    # Kept from the people it serves.
    _family("concealment", "NEG TELL PEOPLE", after="TECHTELL", unless="BUSINESS|ONLYTHEN", reach=20),
    _family("concealment", "NEG PEOPLE TELL", after="TECHTELL", unless="BUSINESS|ONLYTHEN", reach=16),
    _family("concealment", "NEG TELLPEOPLE", after="TECHTELL"),
    _family("concealment", "NEG TELL THISTHING", after="TECHTELL", reach=12),
    _family("concealment", "THISTHING NEG TELL", reach=12, needs="PEOPLE|RECORDPLACE"),
    _family("concealment", "TELLFREE", needs="PEOPLE|THISTHING|CHANGE", unless="TECHTELL"),
    _family("concealment", "SECRETLY BADACT|SEND", reach=30),
    _family("concealment", "BADACT SECRETLY", reach=30),
    _family("concealment", "SECRETLY", needs="PEOPLE BADACT|THISTHING"),
    _family("concealment", "QUIETLY BADACT", reach=12),
    _family("concealment", "HIDE THISTHING PEOPLE", any_order=True, reach=80, unless="TECHTELL"),
    _family("concealment", "KEEPSECRET", affirmed=False),
    _family(
        "concealment", "OMIT|NEG SHOWV|TELL|INCLUDEV THISTHING RECORDPLACE", reach=24, unless="TECHTELL", affirmed=False
    ),
    _family("concealment", "NEG THISTHING SHOWV|TELL|INCLUDEV RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "NEG RECORDPLACE SHOWV|TELL|INCLUDEV THISTHING", reach=24, unless="TECHTELL"),
    _family("concealment", "THISTHING NEG SHOWV|TELL|INCLUDEV RECORDPLACE", reach=24, unless="TECHTELL"),
    _family("concealment", "OMIT THISTHING RECORDPLACE", any_order=True, reach=80, unless="TECHTELL"),
    # What is the user's, sent away.
    _family("exfiltration", "SEND SENSITIVE|SECRETFILE URL|EXTERNAL|EMAIL", any_order=True),
    _family("exfiltration", "SEND PRONOUN URL|EMAIL|EXTERNAL", needs="YOU|REPLY|ENCODE|TRIGGER|ALWAYS", reach=60),
    _family("exfiltration", "PRONOUN SEND URL|EMAIL|EXTERNAL", needs="YOU|REPLY|ENCODE|TRIGGER|ALWAYS", reach=60),
    _family("exfiltration", "ENCODE URL|EXTERNAL", needs="PRONOUN|SENSITIVE", reach=60),
    _family("exfiltration", "INCLUDEV|SEND|READ SECRETFILE REPLY", any_order=True, reach=120),
    _family("exfiltration", "READ SECRETFILE SEND", reach=60),
    _family("exfiltration", "SENSITIVE|SECRETFILE INCLUDEV EXTERNAL", reach=60),
    _family("exfiltration", "INCLUDEV SENSITIVE|SECRETFILE EXTERNAL", reach=60),
    # A steer towards a dependency or a product.
    _family("dependency_steer", "STEERALWAYS EDITV ADDDEP DEP|PACKAGE", before="DEP"),
    _family("dependency_steer", "ADDDEP DEP|PACKAGE STEERALWAYS EDITV"),
    _family("dependency_steer", "SECRETLY|QUIETLY|ALONG ADDDEP DEP|PACKAGE"),
    _family("dependency_steer", "INSTEADOF OFFICIAL DEP|PACKAGE", needs="ALWAYS|ADDDEP"),
    _family("dependency_steer", "NOUPGRADE", needs="DEP|PACKAGE IGNOREWARN|SECURITYISSUE", affirmed=False),
    _family("recommendation_bias", "TOPIC RECOMMEND EXCLUSIVE RECOMMEND", unless="ORDINARY"),
    _family("recommendation_bias", "EXCLUSIVE RECOMMEND SUPERLATIVE", unless="ORDINARY"),
    _family("recommendation_bias", "EXCLUSIVE RECOMMEND", needs="SUPERLATIVE|COMPETITOR", reach=20),
    _family(
        "recommendation_bias", "RECOMMEND|SAYV SUPERLATIVE", needs="ALWAYS|TRIGGER PRODUCT|DEP|RECOMMEND", reach=60
    ),
    _family("recommendation_bias", "NEG RECOMMEND|SAYV|TELL COMPETITOR"),
    _family("recommendation_bias", "COMPETITOR NEG RECOMMEND|SAYV|TELL"),
    _family("recommendation_bias", "TRIGGER TOPIC RECOMMEND EXCLUSIVE|SUPERLATIVE", any_order=True, unless="ORDINARY"),
)
"""In the order in which they are looked for; the first of a kind in a sentence is reported."""
