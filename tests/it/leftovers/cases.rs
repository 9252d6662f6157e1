//! What people run into with teardowns and audits, and the test that holds the right outcome.

use crate::cases::{Case, hold};

/// What happens, the file, the test.
const CASES: [Case; 50] = [
    (
        "a bucket that holds objects is named with its count, and never DELETE_COMPLETE",
        "tests/it/leftovers/teardown.rs",
        "a_full_bucket_is_named_and_emptied_only_when_allowed",
    ),
    (
        "late writes refill a bucket that was just emptied",
        "src/teardown/tests.rs",
        "a_bucket_that_fills_again_is_emptied_again_within_bounds",
    ),
    (
        "after emptying, the failed stack is deleted again and awaited",
        "src/teardown/tests.rs",
        "after_a_late_write_the_bucket_is_emptied_and_the_stack_deleted_again",
    ),
    (
        "DELETE_FAILED names the failing logical ids and what can be done",
        "src/teardown/tests.rs",
        "failing_resources_are_named_after_one_retry",
    ),
    (
        "when asked, exactly the failing ids are retained",
        "src/teardown/tests/leave.rs",
        "when_asked_exactly_the_failing_ids_are_retained_and_kept_as_debts",
    ),
    (
        "if retaining fails, the stack is forced once",
        "src/teardown/tests/leave.rs",
        "if_retaining_fails_too_the_stack_is_forced_once_and_what_was_skipped_is_told",
    ),
    (
        "what was left behind stays in the audit as a leak",
        "tests/it/leftovers/faults.rs",
        "what_cannot_be_deleted_is_named_and_left_only_when_asked",
    ),
    (
        "the first delete carries no RetainResources",
        "src/teardown/tests.rs",
        "a_stack_is_done_only_when_its_id_says_so_and_the_first_delete_retains_nothing",
    ),
    (
        "a refused delete ends at once with its holder",
        "src/teardown/tests.rs",
        "a_cancelled_delete_stops_at_once_and_names_the_holder",
    ),
    (
        "a stack that never goes is not deleted for ever",
        "src/teardown/tests/leave.rs",
        "a_stack_that_never_goes_ends_after_a_bounded_number_of_deletes",
    ),
    ("credentials that expire while waiting pause", "src/teardown/tests.rs", "expired_credentials_pause"),
    (
        "a paused teardown is resumed",
        "tests/it/leftovers/faults.rs",
        "expired_credentials_pause_and_the_next_teardown_ends_it",
    ),
    (
        "network interfaces hold a delete for up to 45 minutes",
        "src/teardown/tests/slow.rs",
        "interfaces_that_lambda_removes_are_waited_for_and_told",
    ),
    (
        "a network interface after its function, in the audit",
        "src/audit/tests/owners.rs",
        "an_interface_that_lambda_made_is_expected_for_45_minutes_after_its_function",
    ),
    (
        "a silent custom resource blocks a delete for an hour",
        "src/teardown/tests/slow.rs",
        "a_silent_custom_resource_is_named_with_its_service_token_and_the_rule",
    ),
    (
        "Lambda's own log group is found though untagged",
        "src/audit/tests.rs",
        "an_untagged_log_group_that_lambda_made_is_a_leak",
    ),
    (
        "an untagged log group is reached through its living, tagged function",
        "src/audit/tests/gate.rs",
        "a_living_tagged_function_leads_to_its_untagged_log_group",
    ),
    (
        "RetainExceptOnCreate is not shown as deleted before it is kept",
        "tests/it/settle.rs",
        "a_dry_run_tells_what_would_be_orphaned_and_writes_nothing",
    ),
    ("log groups of two runs are told apart", "src/audit/tests/gate.rs", "groups_of_two_runs_are_told_apart"),
    (
        "the stack says deleted, its log group is still there",
        "src/audit/tests/gate.rs",
        "a_log_group_outlives_its_stacks_word",
    ),
    ("the stack says deleted, its bucket is still there", "src/audit/tests.rs", "delete_complete_is_not_proof"),
    (
        "DELETE_SKIPPED is counted and told, Retain and RetainExceptOnCreate",
        "tests/it/leftovers/teardown.rs",
        "what_the_template_retains_is_counted_and_audited_as_a_leak",
    ),
    ("retained resources are leaks", "src/audit/tests.rs", "retained_resources_are_counted"),
    ("protection is lifted only when asked", "src/teardown/tests.rs", "protection_is_lifted_only_when_asked"),
    (
        "what only the tag index lists is a ghost, denied is unknown",
        "src/audit/tests.rs",
        "what_only_the_index_lists_is_a_ghost_and_a_denial_is_not",
    ),
    (
        "an orphaned role is found by prefix",
        "src/audit/tests.rs",
        "a_role_is_found_by_prefix_though_the_index_knows_none",
    ),
    ("what stack tags did not reach is named", "src/tags/judge.rs", "an_untagged_resource_is_named_with_what_it_lacks"),
    (
        "a closed stream is listed for 24 hours",
        "src/audit/tests.rs",
        "a_deleted_tables_stream_is_residue_for_24_hours_and_a_leak_after",
    ),
    (
        "the same by the cloud's own clock",
        "tests/it/leftovers/audit.rs",
        "the_stream_stays_for_24_hours_and_the_audit_says_so",
    ),
    ("a stream whose deletion time is unknown", "src/audit/streams.rs", "evidence_bounds_an_unknown_deletion_time"),
    (
        "streams of other tables are filtered out",
        "src/audit/tests.rs",
        "a_stream_that_only_its_name_makes_ours_is_unknown_until_its_tags_prove_it",
    ),
    (
        "many stacks under throttling share one budget and all finish",
        "tests/it/leftovers/faults.rs",
        "twenty_stacks_go_though_every_third_call_is_throttled",
    ),
    (
        "a poll reads at most two pages of events",
        "src/cloud/stacks/tests.rs",
        "a_poll_reads_two_pages_of_a_long_history",
    ),
    (
        "an expired token is not the end of a stage",
        "tests/it/faults.rs",
        "expired_credentials_pause_and_the_run_goes_on",
    ),
    (
        "another account is refused on resume, teardown and audit",
        "tests/it/settle.rs",
        "another_account_is_refused_before_anything_is_asked_of_it",
    ),
    (
        "a deleted queue's name answers for a minute",
        "src/audit/tests.rs",
        "a_queue_may_answer_for_a_minute_after_its_deletion",
    ),
    (
        "a secret in its recovery window",
        "src/audit/tests/owners.rs",
        "a_secret_scheduled_for_deletion_is_expected_until_its_window_ends",
    ),
    ("a key in its deletion window", "src/audit/tests/owners.rs", "a_key_pending_deletion_is_expected_until_its_date"),
    (
        "a denied type is named; leak outranks inconclusive",
        "src/audit/tests.rs",
        "a_denied_type_is_named_and_a_leak_outranks_it",
    ),
    ("AWS-made roles are no findings", "src/audit/tests/gate.rs", "roles_that_aws_made_are_nobodys_leak"),
    (
        "what a rule allows is not read; unused rules are warned about",
        "src/audit/tests.rs",
        "what_a_rule_allows_is_not_read_and_unused_rules_are_warned_about",
    ),
    (
        "tags belong to one request, no key twice",
        "src/cloud/stacks/tests.rs",
        "the_create_request_carries_tags_capabilities_and_token_each_once",
    ),
    (
        "an error while listing never makes an item vanish",
        "tests/it/leftovers/faults.rs",
        "every_unread_surface_makes_the_audit_inconclusive_and_is_named",
    ),
    (
        "throttled once is nothing, for ever is unknown",
        "src/audit/tests.rs",
        "throttling_once_is_nothing_and_for_ever_is_unknown",
    ),
    ("gone is known by code and sentence", "src/cloud/classify.rs", "gone_is_told_by_code_and_sentence"),
    (
        "a stack that vanishes between two calls is gone",
        "src/audit/tests.rs",
        "a_stack_that_vanished_between_two_calls_is_gone",
    ),
    (
        "the journal is readable after any kill",
        "tests/it/resume.rs",
        "a_run_killed_at_sampled_lines_ends_as_if_nothing_had_been",
    ),
    (
        "a step that fails does not skip the others",
        "src/teardown/tests.rs",
        "a_step_that_fails_does_not_keep_the_others_from_being_done",
    ),
    (
        "a stage that fails still cleans up, and the first error is told",
        "tests/it/rehearse.rs",
        "a_failure_in_any_stage_still_cleans_up_and_says_why",
    ),
    ("nothing created, nothing called", "src/teardown/tests.rs", "nothing_created_makes_no_call"),
];

#[test]
fn every_case_has_its_test() {
    hold(&CASES);
}
