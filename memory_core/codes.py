"""Every reason code, status and cause, one sentence each: what a maintainer reads, and what programs match on.

A sentence may name values in braces; `sentence` fills them in. Codes are stable, sentences are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Area = Literal["verdict", "reply", "file", "record", "summary", "context", "profile", "history", "error"]


@dataclass(frozen=True, slots=True)
class Code:
    """One code: where it belongs, the requirement it serves, and its sentence."""

    code: str
    area: Area
    rule: str
    sentence: str


def _table(area: Area, rows: str) -> dict[str, Code]:
    """Rows of `code | rule | sentence`."""
    table: dict[str, Code] = {}
    for row in rows.strip().splitlines():
        code, rule, sentence = (cell.strip() for cell in row.split("|", 2))
        table[code] = Code(code, area, rule, sentence)
    return table


# What judging says of an operation (section 7).
VERDICT = _table(
    "verdict",
    """
accepted           | A2  | Nothing stands against it.
unknown_operation  | A4  | Operation {observed} is unknown; there are create_new and update_existing, exactly so.
missing_field      | A4  | Field {field} is missing.
empty_field        | A4  | Field {field} is empty: it holds no letter, digit or emoji.
wrong_type         | A4  | {field} is {observed}; {limit} is expected.
too_long           | A4  | Field {field} has {observed} of {limit} characters.
unknown_id         | A4  | No {kind} has the id {observed}; ids are matched exactly.
wrong_kind         | A4  | {observed} is {actual}, not {kind}.
inactive_target    | A4  | {observed} is inactive; a delta may not change or revive it.
illegal_type       | A4  | Type {observed} is unknown; only durable_preference and project_note exist.
illegal_source     | A5  | Source {observed} is not allowed for {kind}; it must be {limit}.
type_change        | A4  | The type of {target} would change from {limit} to {observed}.
source_change      | A5  | The source of {target} would change from {limit} to {observed}.
label_change       | A4  | The label of {target} would change from {limit} to {observed}; an update keeps it.
placeholder        | A4  | Field {field} repeats placeholder text of the prompt: {observed}.
long_term_full     | D6  | Long-term memory holds {observed} items of {limit}; no active one goes for a new one.
already_summarised | A4  | The turn {observed} has a summary already.
no_change          | A4  | The update would change nothing.
no_room            | D6  | There is no room: {reason}.
duplicate_summary  | A9c | The turn {observed} is summarised earlier in this delta; the first one wins.
create_with_target | A9c | create_new names the target {observed}; an operation either creates or updates.
bad_unicode        | U2  | Field {field} holds half a character (a lone surrogate) and cannot be stored.
turn_left          | A4  | The turn {observed} has left the document since; the link to it is dropped.
drops_item         | D6  | Long-term memory is full; the oldest inactive item {observed} is dropped for it.
drops_entry        | D6  | The {kind} {observed} is dropped for it ({reason}).
trims_text         | D6  | The assistant's text of the turn {observed} is dropped for it (space).
turned_down_before | R4c | A proposal like this was turned down on {at}{note}.
""",
)

# What reading the file finds (section 3).
FILE = _table(
    "file",
    """
unreadable           | S2  | memory.json cannot be read: {reason}.
link_refused         | S8  | {observed} is a link; it is neither followed nor replaced.
too_large            | S2  | memory.json has {observed} bytes; no memory is that large.
not_utf8             | S2  | Not UTF-8: the byte at offset {observed} fits no character.
not_json             | S2  | Not JSON at line {line}, column {column}: {reason}.
too_deep             | S2  | Nested too deeply for any memory.
number_out_of_range  | S2  | A number is out of range.
not_a_number         | S2  | {observed} is no JSON value.
not_object           | S2  | The file holds {observed}; an object is expected.
other_version        | S3  | The file is of version {observed}, this program reads version {limit}; it counts as empty.
byte_order_mark      | S7c | The file starts with a byte order mark; it is written back without.
duplicate_key        | S4  | Key {observed} stands twice in one object; the last one counts.
over_count           | D6  | {observed} entries, the limit is {limit}.
left_out             | D6  | {observed} values beyond the limit are left out.
wrong_type_stored    | S4  | It is {observed}; {limit} is expected.
missing_stored       | S4  | The field is missing.
empty_stored         | S4  | The field is empty.
foreign_intent       | S4  | Intent {observed} has no place in memory; only {limit} have.
illegal_value        | S4  | {observed} is no legal value; {limit} is expected.
too_long_stored      | S4  | {observed} of {limit} characters.
bad_time             | S4  | {observed} is no time that can be read.
no_offset            | S4  | {observed} has no UTC offset; it is read as local time.
future_time          | S4  | {observed} lies in the future; it is ordered as now.
same_id              | S4  | The id {observed} is taken by an earlier entry.
wrong_list           | S4  | An item of type {observed} stands in the list for {limit}.
wrong_source         | S4  | Source {observed} is not allowed for this type; it must be {limit}.
bad_unicode_stored   | S4  | Half a character (a lone surrogate) cannot be stored.
unknown_key_kept     | S7c | The program does not know this key; it is kept.
unknown_key_dropped  | S7c | The program does not know this key; a copy of the file is kept before it is dropped.
""",
)

# Why a reply is refused, and what was repaired in one (U2, U2b).
REPLY = _table(
    "reply",
    """
reply_empty             | U2  | The reply is empty.
reply_no_object         | U2  | The reply holds no JSON object.
reply_not_json          | U2  | The reply is not valid JSON: {reason}.
reply_truncated         | U2  | The reply ends in the middle of its JSON object.
reply_cut_off           | U2b | The reply was cut off at the token limit{limit}.
reply_several_objects   | U2  | The reply holds more than one JSON object.
reply_not_object        | U2  | The reply is {observed} at the top; an object is required.
reply_nan               | U2  | {observed} is not JSON.
reply_duplicate_keys    | U2  | Key {observed} stands twice in one object.
reply_think_open        | U2  | A reasoning block is not closed, so there is no answer.
reply_too_deep          | U2  | The reply is nested deeper than {limit} levels.
reply_too_many          | U2  | The reply holds over {limit} tokens of JSON; no delta needs that many.
reply_number            | U2  | A number is out of range.
reply_not_utf8          | U2b | The reply is not UTF-8: the byte at offset {observed} fits no character.
reply_unknown_keys      | U2  | The object holds only unknown keys: {observed}.
reply_control_character | U2  | A string holds a raw control character.
reply_too_large         | U2  | The reply has {observed} of {limit} characters; no delta is that large.
reply_filtered          | U2b | The endpoint's content filter stopped the answer.
reply_tool_call         | U2b | The model called a tool; a delta is asked for.
repaired_commas         | U2  | Trailing commas were taken out ({observed}).
repaired_breaks         | U2  | Raw line breaks or tabs inside strings were folded into one space ({observed}).
whole_at_limit          | U2b | The answer stopped at the token limit, but its object is whole.
""",
)

# Why the endpoint's answer gives no reply (U2b), and why an endpoint gave no answer (U3a).
SUMMARY = _table(
    "summary",
    """
answer_html          | U2b | The endpoint answered with a web page.
answer_no_json       | U2b | The endpoint's answer is no chat completion.
answer_error         | U2b | The endpoint reports an error: {observed}
answer_no_choices    | U2b | The answer has no choices.
answer_no_message    | U2b | The answer's choice has no message.
answer_null_content  | U2b | The answer's message has no content.
answer_refusal       | U2b | The model refused: {observed}
answer_in_reasoning  | U2b | The content is empty; the text came as reasoning, which is never used.
answer_all_reasoning | U2b | The whole budget{limit} went into reasoning.
answer_too_large     | U3a | The answer is too large.
endpoint_auth        | U3a | The endpoint does not accept the key.
endpoint_not_found   | U3a | The endpoint knows no such address or model.
endpoint_redirect    | U3a | The endpoint answers with a redirect, which is not followed.
endpoint_busy        | U3a | The endpoint is busy or failing.
endpoint_refused     | U3a | The endpoint refused the request.
endpoint_timeout     | U3a | The endpoint gave no whole answer in time.
endpoint_unreachable | U3a | The endpoint cannot be reached.
endpoint_broken      | U3a | The connection broke.
endpoint_failed      | U3a | The call to the endpoint failed.
summariser_fault     | U6  | The summariser itself broke.
bad_key              | U3a | The key cannot be sent.
cancelled            | U3a | The summary was cancelled.
script_ended         | U3  | The script has no more replies.
swapped              | U3a | The endpoint does not take {observed}; {limit} was sent in its place.
left_out_parameter   | U3a | The endpoint does not take {observed}; it was left out.
damaged_entry        | R4c | The queue's file is damaged and cannot be read.
""",
)

# What makes a text unsafe to remember (A9, A9b).
SAFETY = _table(
    "verdict",
    """
control_chars   | A9  | Field {field} holds control characters, which a reviewer cannot see.
invisible_chars | A9  | Field {field} holds invisible characters, which a reviewer cannot see.
bidi            | A9  | Field {field} holds bidirectional controls, which show text in another order than it is read.
unicode_tags    | A9  | Field {field} holds Unicode tag characters, which a model reads and a person cannot see.
secret          | A9  | Field {field} holds a secret: {observed}.
pii             | A9b | Field {field} holds personal data: {observed}.
injection           | A9 | Field {field} reads like an instruction to a model, or quotes one: {observed}
approval_bypass     | A9 | Field {field} claims approval, or that none is needed: {observed}
delayed_trigger     | A9 | Field {field} sets something off by what a user says later: {observed}
exfiltration        | A9 | Field {field} sends data somewhere: {observed}
concealment         | A9 | Field {field} asks that something be hidden from people: {observed}
dependency_steer    | A9 | Field {field} steers towards a dependency: {observed}
recommendation_bias | A9 | Field {field} steers recommendations: {observed}
dangerous_command   | A9 | Field {field} holds a dangerous command: {observed}
structure_spoof     | A9 | Field {field} imitates the structure around it: {observed}
encoded_payload     | A9 | Field {field} holds encoded text, which reads: {observed}
markup              | A9 | Field {field} holds markup that could act: {observed}
mixed_script        | A9 | Field {field} mixes look-alike letters of several scripts in one word: {observed}
pasted_blob         | A6 | Field {field} holds pasted matter: {observed}
reasoning           | A6 | Field {field} reads like reasoning, not like a finding: {observed}
""",
)

_VALUE = re.compile(r"\{(\w+)\}")

# Whose words carry a preference, and what is remembered already (A7-A9e).
EVIDENCE = _table(
    "verdict",
    """
evidence         | A7  | The user says so in {turn}.
no_evidence      | A7  | None of the {observed} turns of the batch states it; the model's word is no evidence.
no_signal        | A7  | The user speaks of it in {turn}, but does not say that it should always hold.
no_shared_words  | A7  | The user sets a rule in {turn}, but in other words than these.
only_asked       | A9d | The user only asks about it in {turn}.
only_quoted      | A9d | The user only tells in {turn} what somebody else says.
only_this_time   | A9d | The user wishes it in {turn} for this one time.
bare_agreement   | A9d | The user only agrees in {turn}; what to is the assistant's wording.
says_otherwise   | A9e | The user's words in {turn} differ by a negation or a number.
other_language   | A9b | It is in another language than the user's words.
invented_purpose | A9b | It says what the project is or is for, and no turn of the batch says so.
not_talked_about | A9b | No turn of the batch shares a word with it.
same_label       | A8  | {item} has the same label: {observed}
near_duplicate   | A8  | {item} says nearly the same: {observed}
conflict         | A9e | {item} speaks of the same and differs by a negation or a number: {observed}
""",
)

# Why an item is in the memory context, or is not (section 9).
CONTEXT = _table(
    "context",
    """
context_relevant   | C1b | It shares with the question: {observed}.
context_recent     | C1b | It is recent, and no other shares more with the question.
context_newest     | C1  | It is among the newest {limit}.
context_has_value  | C1  | The build files state it.
context_partly     | C2b | The build files state it; left out as unsafe: {observed}.
context_no_room    | C1  | {limit} more relevant or newer ones come before it.
context_inactive   | C2  | It is inactive.
context_no_summary | C1  | It is ready, but has no summary.
context_no_text    | C2b | Nothing of it is left once its structure is taken out.
context_unsafe     | C2b | It may not reach a prompt: {reason}.
""",
)

# Why a turn was not recorded, and what stands against a person's command; the rest of them are codes above.
ERRORS = _table(
    "error",
    """
intent_not_remembered | I2  | Turns of this intent are not remembered.
internal_fault        | I4  | A fault of ours; the log has the details.
memory_error          | I4  | Memory could not do it.
usage                 | S12 | The command line's words are unusable.
bad_input             | S12 | The input is unusable.
bad_policy            | S12 | A policy file has a wrong entry.
interrupted           | S5  | The command was interrupted; nothing is half done.
state                 | S6  | The state of the folder forbids it.
locked                | S6  | Another process holds the lock.
changed_since         | R4  | The file changed since the preview.
older_generation      | U5  | A reset came in between.
corrupt               | S2  | The file holds no document that this could apply to.
queue_full            | S10 | The queue takes no more deltas.
write_failed          | S7b | The write failed; the old file stands.
outcome_unknown       | S7b | The write may or may not have become durable.
already_applied       | S9  | The delta was applied before.
not_kept              | S10 | The revision is old, and its document is no longer kept.
cannot_force          | R3  | A rejected operation cannot be forced.
summary_failed        | U6  | No summary came to be.
reply_refused         | U2  | The parser refused the reply.
""",
)

CODES: dict[str, Code] = {**ERRORS, **CONTEXT, **EVIDENCE, **SAFETY, **VERDICT, **FILE, **REPLY, **SUMMARY}


def sentence(code: str, **values: object) -> str:
    """The code's sentence with its values filled in; a value that is not given stays visible as its name."""
    return _VALUE.sub(lambda match: str(values.get(match[1], match[0])), CODES[code].sentence)


def rule_of(code: str) -> str:
    """The number of the requirement that a code serves."""
    return CODES[code].rule
