//! What people run into with names, sizes, capabilities, YAML, accounts, clocks and cost, and the test that holds the
//! right outcome. Teardowns and audits have a table of their own in `leftovers`.

use std::path::Path;

/// What happens, the file, the test.
pub(crate) type Case = (&'static str, &'static str, &'static str);

const CASES: [Case; 30] = [
    ("an underscore in a variant's name becomes a hyphen", "src/plan/names.rs", "underscores_become_hyphens"),
    ("what AWS would refuse as a name has no slug", "src/plan/names.rs", "names_that_aws_would_refuse_have_no_slug"),
    (
        "a name that the template derives is too long, by how much",
        "src/deploy/prepare.rs",
        "a_name_that_the_template_derives_too_long_is_refused_with_the_number",
    ),
    (
        "a run right after another does not wait for resting queue names",
        "tests/it/faults.rs",
        "a_run_right_after_another_does_not_meet_the_names_that_still_rest",
    ),
    ("a deploy meets a resting queue name", "tests/it/deploy.rs", "a_queue_name_that_still_rests_is_told_as_such"),
    (
        "a secret's name rests while it is scheduled for deletion",
        "src/stages/preflight/existing.rs",
        "a_secret_scheduled_for_deletion_is_a_warning_with_its_end",
    ),
    ("templates are measured in bytes", "src/deploy/prepare.rs", "bytes_are_counted_not_characters"),
    (
        "above 51,200 bytes a template needs a bucket",
        "src/deploy/prepare.rs",
        "a_long_template_needs_a_bucket_and_one_byte_less_does_not",
    ),
    ("and goes through it", "tests/it/deploy.rs", "a_long_template_goes_through_s3"),
    (
        "a named role needs another capability",
        "src/plan/capabilities.rs",
        "a_named_role_needs_more_than_an_unnamed_one",
    ),
    (
        "the capability is sent",
        "src/cloud/stacks/tests.rs",
        "the_create_request_carries_tags_capabilities_and_token_each_once",
    ),
    ("every short form is read", "crates/yaml/tests/it/cloudformation.rs", "short_forms_become_long_forms"),
    ("the template's bytes are sent unchanged", "tests/it/deploy.rs", "a_template_is_deployed_once_and_deleted"),
    (
        "dates and versions stay text",
        "crates/yaml/tests/it/cloudformation.rs",
        "loose_scalars_are_read_as_the_service_reads_them",
    ),
    ("what CloudFormation stores is shown", "src/plan/yaml_notes.rs", "what_cloudformation_stores_is_shown"),
    ("quotes keep a word", "src/plan/yaml_notes.rs", "quoted_and_plain_words_are_left_alone"),
    ("a number where text is due", "crates/yaml/tests/it/errors.rs", "a_number_where_text_is_due_should_be_quoted"),
    ("leading zeros stay", "crates/yaml/tests/it/errors.rs", "digits_with_a_leading_zero_keep_their_text"),
    ("a tag with an empty value is refused", "src/plan/preflight.rs", "tags_that_aws_refuses_are_found"),
    ("an account is allowed by id only", "src/plan/preflight.rs", "accounts_are_allowed_by_id_and_by_nothing_else"),
    ("another account is refused", "tests/it/settle.rs", "another_account_is_refused_before_anything_is_asked_of_it"),
    ("two regions contradict each other", "src/cloud/connect.rs", "two_regions_are_a_conflict_that_names_both"),
    ("a suspended machine has no skew", "src/cloud/clock.rs", "a_machine_suspended_during_the_exchange_makes_no_skew"),
    (
        "credentials end before the run would",
        "src/plan/preflight.rs",
        "credentials_that_end_too_early_are_refused_with_both_times",
    ),
    ("quotas are too small", "src/stages/preflight/quotas.rs", "quotas_that_are_too_small_are_named_with_both_numbers"),
    (
        "a queue less patient than its function",
        "tests/it/deploy.rs",
        "a_queue_that_is_impatient_with_its_function_is_refused_before_anything_is_sent",
    ),
    ("a durable target without a qualifier", "tests/it/messages.rs", "durable_target_without_a_qualifier"),
    ("billing has no figure yet", "tests/it/cost.rs", "every_answer_of_billing_is_told_and_each_figure_is_sealed"),
    (
        "usage without the run's tag",
        "tests/it/cost.rs",
        "usage_without_the_runs_tag_is_unattributed_and_stays_unverified",
    ),
    (
        "an estimate above the ceiling",
        "tests/it/refusals.rs",
        "an_estimate_above_the_ceiling_is_refused_before_anything_is_made",
    ),
];

/// Every test that a table names exists.
pub(crate) fn hold(cases: &[Case]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (what, file, test) in cases {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(text.contains(&format!("fn {test}(")), "{what}: {file} has no test {test}");
    }
}

#[test]
fn every_case_has_its_test() {
    hold(&CASES);
}
