use super::super::{Level, findings, redact};

fn check(text: &str, expected: &str, class: Option<&str>) {
    let redacted = redact(text, "[X]", Level::Probable);
    assert_eq!(redacted.text.as_str(), expected);
    assert_eq!(redacted.redactions.first().map(|found| found.class), class);
}

#[test]
fn keys_of_known_form_are_taken_out() {
    let openai = format!("use sk-{} please", "a1".repeat(24));
    check(&openai, "use [X] please", Some("openai-key"));
    check(&format!("sk-ant-api03-{}", "aZ9_".repeat(20)), "[X]", Some("anthropic-key"));
    check("id AKIAIOSFODNN7EXAMPLE.", "id [X].", Some("aws-key"));
    check(&format!("(ghp_{})", "Ab3".repeat(12)), "([X])", Some("github-token"));
    check(&format!("密钥ghp_{}请保存", "Ab3".repeat(12)), "密钥[X]请保存", Some("github-token"));
}

#[test]
fn private_keys_are_taken_out_whole_also_cut_off_and_on_one_line() {
    let private = "a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b";
    check(private, "a [X] b", Some("private-key"));
    check("-----BEGIN PRIVATE KEY-----\ncut0ff+", "[X]", Some("private-key"));
    let escaped =
        r#"{"k": "-----BEGIN PRIVATE KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----\n"}"#;
    check(escaped, r#"{"k": "[X]\n"}"#, Some("private-key"));
    let public = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----";
    check(public, public, None);
}

#[test]
fn passwords_that_are_named_are_taken_out_and_the_rest_stays() {
    check("password = hunter22", "password = [X]", Some("password"));
    check("the password is hunter2!", "the password is [X]", Some("password"));
    check("postgres://me:s3cret@db/x", "postgres://me:[X]@db/x", Some("url-password"));
    check(r#"{"password": "two words here"}"#, r#"{"password": "[X]"}"#, Some("password"));
    check("passphrase='correct horse'", "passphrase='[X]'", Some("password"));
    check("use hunter22 as the password", "use [X] as the password", Some("password"));
    check("<password>hunter22</password>", "<password>[X]</password>", Some("password"));
    let bearer = "Authorization: Bearer abcdef0123456789abcdef";
    check(bearer, "Authorization: Bearer [X]", Some("bearer-token"));
}

#[test]
fn passwords_are_known_by_their_name_in_many_languages() {
    for name in [
        "Das Passwort lautet",
        "mot de passe :",
        "la contraseña es",
        "a senha é",
        "wachtwoord:",
        "moje hasło to",
        "Пароль:",
        "mitt lösenord är",
        "كلمة المرور:",
        "पासवर्ड:",
        "şifre:",
        "mật khẩu là",
        "סיסמה:",
        "비밀번호:",
        "密码是",
        "パスワードは",
    ] {
        let redacted = redact(&format!("{name} hunter22"), "[X]", Level::Probable);
        assert_eq!(redacted.text.as_str(), format!("{name} [X]"));
    }
}

#[test]
fn talk_about_secrets_is_left_alone() {
    for text in [
        "the bearer of good news",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "see https://example.com:8080/a@b and sk-learn",
        "passwords are hard",
        "password is required",
        "password: ********",
        "password = os.environ[\"PASSWORD\"]",
        "password: <your-password>",
        "token: string",
        "DB_PASSWORD=${DB_PASSWORD}",
        "max_tokens: 1024",
        "The password must have 12 characters",
        "пароль должен содержать не менее восьми символов",
        "integrity sha512-VQab5BEDQva6MsazP9x0ebdKqzmYLJiqzITRaLjdbytGRY+6rL4BkWenk6s7MtKH9hTyodZezC7==",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAYAAAADCAIAAAA/Y+msAAAARElEQVR4nAE5AMb/AMhs",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
        "request id 70e78a6c-62ab-4774-825e-cdb8e6b70967",
        "",
    ] {
        check(text, text, None);
    }
}

#[test]
fn what_may_be_a_secret_is_told_and_left() {
    let text = format!("blob {}", "Zx9Kq2Vb7".repeat(8));
    let redacted = redact(&text, "[X]", Level::Probable);
    assert_eq!(redacted.text.as_str(), text);
    assert_eq!(redacted.possible.len(), 1);
    assert_eq!(findings(&text)[0].level, Level::Possible);
    assert!(redact(&text, "[X]", Level::Possible).text.as_str().ends_with("[X]"));
}

#[test]
fn words_of_a_wallet_and_cards_with_their_names_are_taken_out() {
    let words = "able address actual advance across actor ability absent achieve act add admit";
    check(&format!("my seed phrase is {words}"), "my seed phrase is [X]", Some("seed-phrase"));
    check("card 4111 1111 1111 1111 exp 12/30", "card [X] exp 12/30", Some("card-number"));
    check("order 4111 1111 1111 1112", "order 4111 1111 1111 1112", None);
}

#[test]
fn a_redacted_text_is_not_redacted_again() {
    for replacement in
        ["[SECRET_REDACTED]", "", "***", "redacted secret", "x9K2mQ7vB4", "password: "]
    {
        let text = "password = hunter22, token: aB3dE5fG7hJ9kL1m and my pin is 4821";
        let once = redact(text, replacement, Level::Probable);
        let twice = redact(once.text.as_str(), replacement, Level::Probable);
        assert_eq!(once.text, twice.text, "{replacement:?}");
        assert!(!once.redactions.is_empty() && twice.redactions.is_empty(), "{replacement:?}");
    }
}
