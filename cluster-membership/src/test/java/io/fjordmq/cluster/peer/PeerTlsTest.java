package io.fjordmq.cluster.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which nodes may connect to a cluster with TLS. */
class PeerTlsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  @TempDir Path folder;
  private final TestPorts ports = new TestPorts();
  private @Nullable TestAuthority authority;

  @BeforeEach
  void createAuthority() throws Exception {
    authority = new TestAuthority(folder.resolve("ours"));
  }

  @AfterEach
  void close() throws Exception {
    ports.close();
  }

  @Test
  void shouldServeANodeWithACertificateOfTheCluster() throws Exception {
    assertThat(callFrom(authority().node("a"))).isEqualTo("hi");
  }

  @Test
  void shouldNotServeANodeWithoutTls() {
    assertThatThrownBy(() -> callFrom(null))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(PeerException.class);
  }

  @Test
  void shouldNotServeANodeWithAnotherAuthoritysCertificate() throws Exception {
    TestAuthority theirs = new TestAuthority(folder.resolve("theirs"));
    assertThatThrownBy(() -> callFrom(authority().nodeCertifiedBy(theirs, "a")))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(PeerException.class);
  }

  @Test
  void shouldNotConnectToANodeWithAnotherAuthoritysCertificate() throws Exception {
    TestAuthority theirs = new TestAuthority(folder.resolve("theirs"));
    assertThatThrownBy(() -> callFrom(theirs.nodeCertifiedBy(authority(), "a")))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(PeerException.class);
  }

  @Test
  void shouldNameTheUnusableFile() throws Exception {
    ClusterTls good = authority().node("a");
    ClusterTls missing =
        new ClusterTls(good.certFile(), folder.resolve("nowhere.key"), good.trustFile());
    assertThatThrownBy(() -> ports.open("c1", A, missing, TestPorts.SETTINGS))
        .hasMessageContaining("nowhere.key");
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    ClusterTls trustless = new ClusterTls(good.certFile(), good.keyFile(), empty);
    assertThatThrownBy(() -> ports.open("c1", A, trustless, TestPorts.SETTINGS))
        .hasMessageContaining("empty.pem")
        .hasMessageContaining("authority");
  }

  @Test
  void shouldUseChangedFilesForNewConnectionsOnly() throws Exception {
    TestAuthority theirs = new TestAuthority(folder.resolve("theirs"));
    ClusterTls tls = withOwnTrust(authority().node("a"));
    PeerPort a = ports.open("c1", A, tls, TestPorts.SETTINGS);
    PeerPort b = ports.open("c1", B, authority().node("b"), TestPorts.SETTINGS);
    b.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    assertThat(call(a, B)).isEqualTo("hi");

    copy(theirs.node("a"), tls);
    assertThat(call(a, B)).as("on the existing connection").isEqualTo("hi");
    NodeId c = new NodeId("c");
    PeerPort member = ports.open("c1", c, authority().node("c"), TestPorts.SETTINGS);
    member.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    assertThatThrownBy(() -> call(a, c))
        .as("its new certificate is from another authority")
        .isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> call(member, A)).isInstanceOf(ExecutionException.class);

    copy(authority().node("again"), tls);
    Files.writeString(tls.certFile(), "broken");
    NodeId d = new NodeId("d");
    PeerPort foreign = ports.open("c1", d, theirs.node("d"), TestPorts.SETTINGS);
    foreign.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    assertThat(call(a, d)).as("invalid files have no effect").isEqualTo("hi");
  }

  /** Other nodes use the trust file of the authority. */
  private ClusterTls withOwnTrust(ClusterTls tls) throws Exception {
    Path trust = folder.resolve("trust-of-a.pem");
    Files.copy(tls.trustFile(), trust);
    return new ClusterTls(tls.certFile(), tls.keyFile(), trust);
  }

  private static void copy(ClusterTls from, ClusterTls to) throws Exception {
    Files.copy(from.certFile(), to.certFile(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(from.keyFile(), to.keyFile(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(from.trustFile(), to.trustFile(), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String call(PeerPort from, NodeId to) throws Exception {
    byte[] response =
        from.call(to, "echo", "hi".getBytes(US_ASCII), TestPorts.TIMEOUT).get(20, TimeUnit.SECONDS);
    return new String(response, US_ASCII);
  }

  private String callFrom(@Nullable ClusterTls tls) throws Exception {
    PeerPort a = ports.open("c1", A, tls, TestPorts.SETTINGS);
    PeerPort b = ports.open("c1", B, authority().node("b"), TestPorts.SETTINGS);
    b.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    byte[] response =
        a.call(B, "echo", "hi".getBytes(US_ASCII), TestPorts.TIMEOUT).get(20, TimeUnit.SECONDS);
    return new String(response, US_ASCII);
  }

  private TestAuthority authority() {
    return java.util.Objects.requireNonNull(authority);
  }
}
