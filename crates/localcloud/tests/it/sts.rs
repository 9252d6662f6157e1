use crate::support::start;

#[tokio::test]
async fn the_account_keeps_its_leading_zeros() {
    let local = start().await;
    let identity = aws_sdk_sts::Client::new(&local.config).get_caller_identity().send().await.unwrap();
    assert_eq!(identity.account(), Some("000000000000"));
    assert_eq!(identity.arn(), Some("arn:aws:iam::000000000000:user/localcloud"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn what_is_not_emulated_says_so() {
    let local = start().await;
    let refused = aws_sdk_sts::Client::new(&local.config).get_session_token().send().await.unwrap_err();
    let refused = refused.into_service_error();
    assert_eq!(refused.meta().code(), Some("NotEmulated"));
    assert_eq!(refused.meta().message(), Some("the local cloud does not emulate sts GetSessionToken"));
    local.cloud.shutdown().await;
}
