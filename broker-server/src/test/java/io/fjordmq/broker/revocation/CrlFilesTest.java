package io.fjordmq.broker.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.revocation.RevocationStatus.Kind;
import io.fjordmq.broker.testing.TestAuthority;
import io.fjordmq.broker.testing.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.IssuingDistributionPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrlFilesTest {
  @TempDir Path folder;
  private final TestAuthority authority = new TestAuthority("Root");
  private final Issued good = authority.issue("good");
  private final Issued bad = authority.issue("bad");

  private Path write(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static byte[] pem(byte[]... lists) {
    StringBuilder text = new StringBuilder("Comments are ignored.\n");
    for (byte[] list : lists) {
      text.append(TestAuthority.pem("X509 CRL", list));
    }
    return text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  private static RevocationStatus status(CrlFiles files, Issued client) {
    return files.status(client.certificate(), client.issuers().get(0), Instant.now());
  }

  @Test
  void shouldReadAFileInDerFormat() throws Exception {
    CrlFiles files = CrlFiles.open(write("a.crl", authority.crl(bad.certificate())).toString());
    assertThat(status(files, good).kind()).isEqualTo(Kind.GOOD);
    RevocationStatus revoked = status(files, bad);
    assertThat(revoked.kind()).isEqualTo(Kind.REVOKED);
    assertThat(revoked.detail())
        .matches(
            "certificate 1002 of CN=bad was revoked at \\S+ \\(key compromise\\), according to"
                + " .*/a.crl");
  }

  @Test
  void shouldReadAFolderOfFilesInPemFormatWithListsOfSeveralAuthorities() throws Exception {
    TestAuthority other = new TestAuthority("Other");
    Issued otherBad = other.issue("x");
    TestAuthority third = new TestAuthority("Third");
    write("two.pem", pem(authority.crl(bad.certificate()), other.crl(otherBad.certificate())));
    write("one.pem", pem(third.crl()));
    write(".hidden", new byte[] {1});
    CrlFiles files = CrlFiles.open(folder.toString());
    assertThat(status(files, bad).kind()).isEqualTo(Kind.REVOKED);
    assertThat(status(files, otherBad).kind()).isEqualTo(Kind.REVOKED);
    assertThat(status(files, third.issue("y")).kind()).isEqualTo(Kind.GOOD);
    RevocationStatus unknown = status(files, new TestAuthority("Fourth").issue("z"));
    assertThat(unknown.kind()).isEqualTo(Kind.UNDETERMINED);
    assertThat(unknown.detail()).isEqualTo("there is no revocation list of CN=Fourth");
  }

  @Test
  void shouldNotTrustAListThatIsNotSignedByTheIssuer() throws Exception {
    TestAuthority impostor = new TestAuthority("Root");
    CrlFiles files = CrlFiles.open(write("a.crl", impostor.crl()).toString());
    RevocationStatus status = status(files, good);
    assertThat(status.kind()).isEqualTo(Kind.UNDETERMINED);
    assertThat(status.detail()).contains("has no valid signature of CN=Root");
    write("b.crl", authority.crl());
    assertThat(status(CrlFiles.open(folder.toString()), good).kind()).isEqualTo(Kind.GOOD);
  }

  @Test
  void shouldKnowNothingFromAnExpiredListExceptWhatItRevokes() throws Exception {
    Instant now = Instant.now();
    byte[] expired = authority.crl(now.minusSeconds(60), now.minusSeconds(1), bad.certificate());
    CrlFiles files = CrlFiles.open(write("a.crl", expired).toString());
    assertThat(status(files, good).kind()).isEqualTo(Kind.UNDETERMINED);
    assertThat(status(files, good).detail()).contains("a.crl expired at ");
    assertThat(status(files, bad).kind()).isEqualTo(Kind.REVOKED);
    byte[] future = authority.crl(now.plusSeconds(60), now.plusSeconds(120));
    CrlFiles early = CrlFiles.open(write("a.crl", future).toString());
    assertThat(status(early, good).detail()).contains("a.crl is not valid before ");
  }

  @Test
  void shouldUseTheNewestListOfAnIssuer() throws Exception {
    Instant now = Instant.now();
    Instant end = now.plus(Duration.ofDays(1));
    write("a.crl", authority.crl(now.minusSeconds(10), end, bad.certificate()));
    write("b.crl", authority.crl(now.minusSeconds(20), end));
    CrlFiles files = CrlFiles.open(folder.toString());
    assertThat(status(files, bad).kind()).isEqualTo(Kind.REVOKED);
    write("b.crl", authority.crl(now.minusSeconds(5), end)); // the revocation is withdrawn
    assertThat(files.poll()).isTrue();
    assertThat(status(files, bad).kind()).isEqualTo(Kind.GOOD);
  }

  @Test
  void shouldTellWhichListsNeedASuccessor() throws Exception {
    Instant now = Instant.now();
    TestAuthority other = new TestAuthority("Other");
    write("a.crl", authority.crl(now.minusSeconds(95), now.plusSeconds(5)));
    write("expired.crl", other.crl(now.minusSeconds(95), now.minusSeconds(1)));
    write("good.crl", new TestAuthority("Third").crl(now.minusSeconds(80), now.plusSeconds(20)));
    CrlFiles files = CrlFiles.open(folder.toString());
    assertThat(files.expiring(now))
        .extracting(ExpiringList::issuer)
        .contains("CN=Root", "CN=Other");
    assertThat(files.expiring(now))
        .hasSize(2)
        .anySatisfy(
            list -> {
              assertThat(list.file()).endsWith("a.crl");
              assertThat(list.expiresAt()).isBetween(now.plusSeconds(4), now.plusSeconds(6));
            });

    write("next.crl", authority.crl(now, now.plusSeconds(100)));
    IssuingDistributionPoint users =
        new IssuingDistributionPoint(null, true, false, null, false, false);
    write(
        "users.crl",
        other.crl(
            now,
            now.plusSeconds(100),
            new Extension(Extension.issuingDistributionPoint, true, users.getEncoded())));
    assertThat(files.poll()).isTrue();
    assertThat(files.expiring(now))
        .as("a list for users does not replace one for all certificates")
        .extracting(ExpiringList::issuer)
        .containsExactly("CN=Other");
  }

  @Test
  void shouldReloadChangedFilesAndKeepTheOldContentsOfInvalidOnes() throws Exception {
    write("a.crl", authority.crl());
    CrlFiles files = CrlFiles.open(folder.toString());
    assertThat(files.poll()).isNull();
    assertThat(status(files, bad).kind()).isEqualTo(Kind.GOOD);

    write("a.crl", authority.crl(bad.certificate()));
    assertThat(files.poll()).isTrue();
    assertThat(status(files, bad).kind()).isEqualTo(Kind.REVOKED);

    write("a.crl", "half".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThat(files.poll()).isFalse();
    assertThat(files.poll()).isNull();
    assertThat(status(files, bad).kind()).isEqualTo(Kind.REVOKED);

    Files.delete(folder.resolve("a.crl"));
    assertThat(files.poll()).isTrue();
    assertThat(status(files, bad).kind()).isEqualTo(Kind.UNDETERMINED);
  }

  @Test
  void shouldKeepTheListsIfTheFileIsMissingForAMoment() throws Exception {
    Path file = write("a.crl", authority.crl());
    CrlFiles files = CrlFiles.open(file.toString());
    Files.delete(file);
    assertThat(files.poll()).isFalse();
    assertThat(files.poll()).isNull();
    assertThat(status(files, good).kind()).isEqualTo(Kind.GOOD);
    write("a.crl", authority.crl(good.certificate()));
    assertThat(files.poll()).isTrue();
    assertThat(status(files, good).kind()).isEqualTo(Kind.REVOKED);
  }

  @Test
  void shouldRejectFilesThatItCannotUse() throws Exception {
    assertThatThrownBy(() -> CrlFiles.open(folder.resolve("none").toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("file not found: ");
    assertInvalid(new byte[] {1, 2, 3}, "");
    assertInvalid(new byte[0], "contains no certificate revocation list");
    assertInvalid(pem(), "");
    Extension delta =
        new Extension(Extension.deltaCRLIndicator, true, new ASN1Integer(1).getEncoded());
    assertInvalid(list(delta), "delta lists are not supported");
    IssuingDistributionPoint indirect =
        new IssuingDistributionPoint(null, false, false, null, true, false);
    assertInvalid(
        list(new Extension(Extension.issuingDistributionPoint, true, indirect.getEncoded())),
        "indirect lists");
  }

  private byte[] list(Extension extension) {
    Instant now = Instant.now();
    return authority.crl(now.minusSeconds(1), now.plusSeconds(60), extension);
  }

  private void assertInvalid(byte[] content, String reason) throws IOException {
    Path file = write("invalid", content);
    assertThatThrownBy(() -> CrlFiles.open(file.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(reason);
  }

  @Test
  void shouldUseListsForOneKindOfCertificatesOnlyForThem() throws Exception {
    IssuingDistributionPoint users =
        new IssuingDistributionPoint(null, true, false, null, false, false);
    write(
        "users.crl",
        list(new Extension(Extension.issuingDistributionPoint, true, users.getEncoded())));
    CrlFiles files = CrlFiles.open(folder.toString());
    assertThat(status(files, good).kind()).isEqualTo(Kind.GOOD);
    TestAuthority intermediate = authority.subordinate("Intermediate");
    assertThat(
            files.status(intermediate.certificate(), authority.certificate(), Instant.now()).kind())
        .isEqualTo(Kind.UNDETERMINED);
  }
}
