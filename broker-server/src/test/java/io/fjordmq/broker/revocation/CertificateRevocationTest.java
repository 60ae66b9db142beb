package io.fjordmq.broker.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.providers.CallOutcome;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.revocation.CertificateRevocation.Refusal;
import io.fjordmq.broker.revocation.OcspSettings.Nonce;
import io.fjordmq.broker.testing.TestAuthority;
import io.fjordmq.broker.testing.TestAuthority.Issued;
import io.fjordmq.broker.testing.TestResponder;
import io.fjordmq.broker.testing.TestResponder.Behavior;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CertificateRevocationTest {
  private static final OcspSettings ENABLED =
      RecordBuilder.from(OcspSettings.DEFAULTS).with(OcspSettings::enabled, true).build();

  @TempDir Path folder;
  private final TestAuthority authority = new TestAuthority("Root");
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final List<CertificateRevocation> opened = new ArrayList<>();
  private TestResponder responder;

  @BeforeEach
  void startResponder() throws IOException {
    responder = new TestResponder();
    responder.answerFor(authority);
  }

  @AfterEach
  void close() {
    opened.forEach(CertificateRevocation::close);
    responder.close();
  }

  private CertificateRevocation open(CrlSettings crl, OcspSettings ocsp) throws IOException {
    CertificateRevocation revocation =
        CertificateRevocation.open(
            crl,
            ocsp,
            InstantSource.system(),
            check ->
                new ProviderMeter() {
                  @Override
                  public void onCall(CallOutcome outcome, long nanos) {
                    outcomes.add(check + " " + outcome.label());
                  }
                });
    opened.add(revocation);
    return revocation;
  }

  private CertificateRevocation ocsp(OcspSettings settings) throws IOException {
    return open(CrlSettings.DEFAULTS, settings);
  }

  private static @Nullable Refusal check(CertificateRevocation revocation, Issued client)
      throws Exception {
    return revocation
        .check(client.certificate(), client.issuers(), true, () -> false)
        .get(20, TimeUnit.SECONDS)
        .orElse(null);
  }

  /** Returns why a client is refused. */
  private static Refusal refusal(CertificateRevocation revocation, Issued client) throws Exception {
    return Objects.requireNonNull(check(revocation, client), "the client is not refused");
  }

  @Test
  void shouldAskTheResponderThatTheCertificateNames() throws Exception {
    Issued good = authority.issue("good", responder.url());
    Issued bad = authority.issue("bad", responder.url());
    Issued unknown = authority.issue("unknown", responder.url());
    responder.revoke(bad.certificate());
    responder.forget(unknown.certificate());
    CertificateRevocation revocation = ocsp(ENABLED);
    assertThat(check(revocation, good)).isNull();
    Refusal refusal = refusal(revocation, bad);
    assertThat(refusal.cause()).isEqualTo(Refusal.Cause.REVOKED);
    assertThat(refusal.decidedBy()).isEqualTo("securityConfig.ocsp");
    assertThat(refusal.detail())
        .matches(
            "certificate 1002 of CN=bad was revoked at \\S+ \\(key compromise\\), according to"
                + " the OCSP responder");
    assertThat(refusal(revocation, unknown).cause()).isEqualTo(Refusal.Cause.UNKNOWN_CERTIFICATE);
    assertThat(refusal(revocation, unknown).detail())
        .isEqualTo("certificate 1003 of CN=unknown is unknown to the OCSP responder of its issuer");
    assertThat(outcomes).startsWith("x509.ocsp allow", "x509.ocsp deny", "x509.ocsp deny");
    // The responder learns of new certificates later than clients use them.
    responder.remember(unknown.certificate());
    assertThat(check(revocation, unknown)).isNull();
  }

  @Test
  void shouldPreferTheConfiguredResponder() throws Exception {
    Issued client = authority.issue("c", "http://127.0.0.1:1/nobody");
    OcspSettings settings =
        RecordBuilder.from(ENABLED).with(OcspSettings::url, responder.url()).build();
    assertThat(check(ocsp(settings), client)).isNull();
    Refusal unnamed = refusal(ocsp(ENABLED), authority.issue("without"));
    assertThat(unnamed.cause()).isEqualTo(Refusal.Cause.UNDETERMINED);
    assertThat(unnamed.detail()).contains("names no OCSP responder");
  }

  @Test
  void shouldCacheAnswersUntilTheyExpire() throws Exception {
    Issued client = authority.issue("c", responder.url());
    CertificateRevocation revocation = ocsp(ENABLED);
    assertThat(check(revocation, client)).isNull();
    responder.revoke(client.certificate());
    assertThat(check(revocation, client)).isNull();
    assertThat(responder.requests).hasValue(1);
    revocation.clearCache();
    assertThat(check(revocation, client)).isNotNull();
    assertThat(check(revocation, client)).isNotNull();
    assertThat(responder.requests).hasValue(2);

    responder.behavior = Behavior.WITHOUT_END; // never cached
    Issued other = authority.issue("d", responder.url());
    assertThat(check(revocation, other)).isNull();
    assertThat(check(revocation, other)).isNull();
    assertThat(responder.requests).hasValue(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          REPLAY            | the response has the nonce of another request
          OTHER_SIGNER      | the response is signed neither by CN=Root nor by a responder that it
          OTHER_CERTIFICATE | the response is about another certificate
          EXPIRED           | the response expired at
          NOT_YET_VALID     | the response is not valid before
          OLD_WITHOUT_END   | the response is too old: it was current at
          TRY_LATER         | the responder reported that it is busy
          HTTP_ERROR        | HTTP status 503
          GARBAGE           | the response is not valid
          TOO_LONG          | the response has more than 65536 bytes
          """)
  void shouldNotBelieveInvalidResponses(Behavior behavior, String reason) throws Exception {
    responder.behavior = behavior;
    Issued client = authority.issue("c", responder.url());
    Refusal refusal = refusal(ocsp(ENABLED), client);
    assertThat(refusal.cause()).isEqualTo(Refusal.Cause.UNDETERMINED);
    assertThat(refusal.detail())
        .startsWith("the OCSP responder " + responder.url() + " did not respond: ")
        .contains(reason);
    OcspSettings ignoring =
        RecordBuilder.from(ENABLED).with(OcspSettings::onError, UnknownStatusPolicy.IGNORE).build();
    assertThat(check(ocsp(ignoring), client)).isNull();
  }

  @Test
  void shouldRequireANonceOnlyIfConfigured() throws Exception {
    responder.behavior = Behavior.OMIT_NONCE;
    Issued client = authority.issue("c", responder.url());
    assertThat(check(ocsp(ENABLED), client)).isNull();
    assertThat(check(ocsp(with(Nonce.NONE)), client)).isNull();
    assertThat(refusal(ocsp(with(Nonce.REQUIRED)), client).detail())
        .contains("the response has no nonce");
    responder.behavior = Behavior.ANSWER;
    assertThat(check(ocsp(with(Nonce.REQUIRED)), client)).isNull();
  }

  private static OcspSettings with(Nonce nonce) {
    return RecordBuilder.from(ENABLED).with(OcspSettings::nonce, nonce).build();
  }

  @Test
  void shouldAcceptAResponderThatTheIssuerHasAuthorized() throws Exception {
    Issued client = authority.issue("c", responder.url());
    responder.signAs(authority.issueResponder("responder"));
    assertThat(check(ocsp(ENABLED), client)).isNull();
    responder.signAs(authority.issue("any other certificate"));
    assertThat(refusal(ocsp(ENABLED), client).detail()).contains("is signed neither by");
    responder.signAs(new TestAuthority("Root").issueResponder("stranger"));
    assertThat(refusal(ocsp(ENABLED), client).detail()).contains("is signed neither by");
  }

  @Test
  void shouldAcceptAResponderWithAnotherKindOfKey() throws Exception {
    KeyPair rsa = TestAuthority.newKeys("RSA", 2048);
    TestAuthority large = new TestAuthority("Large", TestAuthority.newKeys("RSA", 4096));
    for (TestAuthority issuer : List.of(authority, large)) {
      responder.answerFor(issuer);
      Issued client = issuer.issue("c", responder.url());
      responder.signAs(issuer.issueResponder("responder", rsa));
      assertThat(check(ocsp(ENABLED), client)).isNull();
      responder.signAs(issuer.issueResponder("responder"));
      assertThat(check(ocsp(ENABLED), client)).isNull();
    }
  }

  @Test
  void shouldNotConfuseAuthoritiesWithTheSameName() throws Exception {
    CertificateRevocation revocation = ocsp(ENABLED);
    Issued client = authority.issue("c", responder.url());
    assertThat(check(revocation, client)).isNull();
    TestAuthority namesake = new TestAuthority("Root");
    Issued other = namesake.issue("c", responder.url());
    assertThat(other.certificate().getSerialNumber())
        .isEqualTo(client.certificate().getSerialNumber());
    responder.answerFor(namesake);
    responder.revoke(other.certificate());
    assertThat(refusal(revocation, other).cause()).isEqualTo(Refusal.Cause.REVOKED);
  }

  @Test
  void shouldNotLetAFailingResponderAffectOthers() throws Exception {
    try (TestResponder failing = new TestResponder()) {
      failing.behavior = Behavior.HTTP_ERROR;
      failing.answerFor(authority);
      CertificateRevocation revocation = ocsp(ENABLED);
      Issued client = authority.issue("c", failing.url());
      for (int i = 0; i < 10; i++) {
        check(revocation, client);
      }
      assertThat(refusal(revocation, client).detail()).contains("the circuit breaker is open");
      assertThat(check(revocation, authority.issue("d", responder.url()))).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAUTHORIZED", "EXPIRED", "OTHER_CERTIFICATE"})
  void shouldKeepAskingAResponderThatHasNoAnswerForOneCertificate(Behavior behavior)
      throws Exception {
    responder.behavior = behavior;
    CertificateRevocation revocation = ocsp(ENABLED);
    Issued client = authority.issue("c", responder.url());
    for (int i = 0; i < 11; i++) {
      check(revocation, client);
    }
    responder.behavior = Behavior.ANSWER;
    assertThat(check(revocation, authority.issue("d", responder.url()))).isNull();
  }

  @Test
  void shouldShareAGuardBetweenTooManyResponders() throws Exception {
    CertificateRevocation revocation = ocsp(ENABLED);
    for (int i = 0; i < 2 * ResponderGuards.MAX_RESPONDERS; i++) {
      assertThat(check(revocation, authority.issue("c", responder.url() + "/" + i))).isNull();
    }
    responder.behavior = Behavior.HTTP_ERROR;
    for (int i = 0; i < 10; i++) {
      check(revocation, authority.issue("c", responder.url() + "/other" + i));
    }
    responder.behavior = Behavior.ANSWER;
    assertThat(refusal(revocation, authority.issue("c", responder.url() + "/another")).detail())
        .contains("the circuit breaker is open");
    assertThat(check(revocation, authority.issue("c", responder.url() + "/0"))).isNull();
  }

  @Test
  void shouldHandleInvalidExtensionsLikeMissingOnes() throws Exception {
    // The location has the tag of a directory name, but contains none.
    byte[] access = HexFormat.of().parseHex("300f300d06082b06010505073001840100");
    Refusal refusal = refusal(ocsp(ENABLED), authority.issueWithAccess("c", access));
    assertThat(refusal.cause()).isEqualTo(Refusal.Cause.UNDETERMINED);
    assertThat(refusal.detail()).contains("names no OCSP responder");
  }

  @Test
  void shouldNotWaitForAResponderThatDoesNotAnswer() throws Exception {
    responder.behavior = Behavior.HANG;
    Issued client = authority.issue("c", responder.url());
    OcspSettings fast =
        RecordBuilder.from(ENABLED)
            .with(OcspSettings::timeout, Duration.ofMillis(200))
            .with(OcspSettings::maxConcurrent, 1)
            .with(OcspSettings::maxWaiting, 0)
            .build();
    CertificateRevocation revocation = ocsp(fast);
    var first = revocation.check(client.certificate(), client.issuers(), true, () -> false);
    assertThat(first).isNotDone();
    Issued other = authority.issue("d", responder.url());
    assertThat(refusal(revocation, other).detail()).contains("too many calls are waiting");
    assertThat(first.get(20, TimeUnit.SECONDS).orElseThrow().detail())
        .contains("no response within 200 ms");
  }

  @Test
  void shouldStopAskingAResponderThatFails() throws Exception {
    responder.behavior = Behavior.HTTP_ERROR;
    CertificateRevocation revocation = ocsp(ENABLED);
    Issued client = authority.issue("c", responder.url());
    for (int i = 0; i < 10; i++) {
      check(revocation, client);
    }
    int before = responder.requests.get();
    assertThat(refusal(revocation, client).detail()).contains("the circuit breaker is open");
    assertThat(responder.requests).hasValue(before);
  }

  @Test
  void shouldCheckIntermediateAuthorities() throws Exception {
    TestAuthority intermediate = authority.subordinate("Intermediate");
    Issued client = intermediate.issue("c");
    Files.write(folder.resolve("root.crl"), authority.crl(intermediate.certificate()));
    Files.write(folder.resolve("intermediate.crl"), intermediate.crl());
    CertificateRevocation revocation =
        open(new CrlSettings(folder.toString(), UnknownStatusPolicy.DENY), OcspSettings.DEFAULTS);
    assertThat(refusal(revocation, client).detail()).contains("of CN=Intermediate was revoked");
    Files.write(folder.resolve("root.crl"), authority.crl());
    assertThat(revocation.reload()).isTrue();
    assertThat(check(revocation, client)).isNull();
    assertThat(outcomes)
        .containsExactly("x509.crl allow", "x509.crl deny", "x509.crl allow", "x509.crl allow");
  }

  @Test
  void shouldFindRevokedIssuersAlthoughOtherListsAreMissing() throws Exception {
    TestAuthority intermediate = authority.subordinate("Intermediate");
    Issued client = intermediate.issue("c");
    Path file = folder.resolve("root.crl"); // there is no list of the intermediate authority
    Files.write(file, authority.crl());
    CertificateRevocation revocation =
        open(new CrlSettings(folder.toString(), UnknownStatusPolicy.DENY), OcspSettings.DEFAULTS);
    assertThat(revocation.findRevoked(client.certificate(), client.issuers())).isNull();
    Files.write(file, authority.crl(intermediate.certificate()));
    assertThat(revocation.reload()).isTrue();
    assertThat(revocation.findRevoked(client.certificate(), client.issuers()))
        .contains("of CN=Intermediate was revoked");
  }

  @Test
  void shouldRequireBothChecksToPass() throws Exception {
    Issued client = authority.issue("c", responder.url());
    Path file = Files.write(folder.resolve("a.crl"), authority.crl(client.certificate()));
    CrlSettings lists = new CrlSettings(file.toString(), UnknownStatusPolicy.DENY);
    assertThat(refusal(open(lists, ENABLED), client).decidedBy()).isEqualTo("securityConfig.crl");
    assertThat(responder.requests).hasValue(0);
    Files.write(file, authority.crl());
    responder.revoke(client.certificate());
    assertThat(refusal(open(lists, ENABLED), client).decidedBy()).isEqualTo("securityConfig.ocsp");
  }

  @Test
  void shouldHandleUnknownIssuersLikeErrors() throws Exception {
    Issued client = authority.issue("c", responder.url());
    Refusal refusal =
        ocsp(ENABLED).check(client.certificate(), null, true, () -> false).get().orElseThrow();
    assertThat(refusal.cause()).isEqualTo(Refusal.Cause.UNDETERMINED);
    assertThat(refusal.detail()).contains("the issuer of certificate 1001 of CN=c is not known");
    Path file = Files.write(folder.resolve("a.crl"), authority.crl());
    CertificateRevocation ignoring =
        open(new CrlSettings(file.toString(), UnknownStatusPolicy.IGNORE), OcspSettings.DEFAULTS);
    assertThat(ignoring.check(client.certificate(), null, true, () -> false).get()).isEmpty();
    assertThat(ignoring.findRevoked(client.certificate(), null)).isNull();
  }

  @Test
  void shouldAcceptCertificatesThatAreTrustedThemselves() throws Exception {
    CertificateRevocation revocation = ocsp(ENABLED);
    assertThat(
            revocation.check(authority.certificate(), List.of(), true, () -> false).get().isEmpty())
        .isTrue();
    assertThat(responder.requests).hasValue(0);
  }
}
