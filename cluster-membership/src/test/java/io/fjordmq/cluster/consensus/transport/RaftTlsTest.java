package io.fjordmq.cluster.consensus.transport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.TestAuthority;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Raft port of a cluster that uses TLS. */
final class RaftTlsTest {
  private static final NodeId CLIENT = new NodeId("client");
  private static final NodeId SERVER = new NodeId("server");
  private static final PingRequest PING = PingRequest.newBuilder().setSendTimestamp(1).build();

  @TempDir Path folder;
  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final List<RaftTransport> openTransports = new ArrayList<>();

  @AfterEach
  void close() {
    openTransports.forEach(RaftTransport::close);
  }

  @Test
  void shouldAcceptANodeWithACertificateOfTheCluster() throws Exception {
    TestAuthority clusterAuthority = new TestAuthority(folder.resolve("ours"));
    listen(clusterAuthority.node("b"));
    assertThat(ping(clusterAuthority.node("a"))).isInstanceOf(ErrorResponse.class);
  }

  @Test
  void shouldRefuseOtherNodes() throws Exception {
    TestAuthority clusterAuthority = new TestAuthority(folder.resolve("ours"));
    TestAuthority otherAuthority = new TestAuthority(folder.resolve("theirs"));
    listen(clusterAuthority.node("b"));
    for (@Nullable ClusterTls tls :
        new @Nullable ClusterTls[] {
          null,
          clusterAuthority.nodeCertifiedBy(otherAuthority, "c"),
          otherAuthority.nodeCertifiedBy(clusterAuthority, "d")
        }) {
      assertThatThrownBy(() -> ping(tls)).isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void shouldUseTheCurrentFiles() throws Exception {
    TestAuthority clusterAuthority = new TestAuthority(folder.resolve("ours"));
    TestAuthority otherAuthority = new TestAuthority(folder.resolve("theirs"));
    ClusterTls created = clusterAuthority.node("b");
    Path trust = Files.copy(created.trustFile(), folder.resolve("trust-of-b.pem"));
    ClusterTls tls = new ClusterTls(created.certFile(), created.keyFile(), trust);
    listen(tls);
    assertThat(ping(clusterAuthority.node("a"))).isInstanceOf(ErrorResponse.class);
    ClusterTls next = otherAuthority.node("b");
    Files.writeString(tls.keyFile(), "broken");
    assertThat(ping(clusterAuthority.node("c"))).as("as before").isInstanceOf(ErrorResponse.class);
    Files.copy(next.certFile(), tls.certFile(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(next.keyFile(), tls.keyFile(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(next.trustFile(), tls.trustFile(), StandardCopyOption.REPLACE_EXISTING);
    assertThat(ping(otherAuthority.node("d"))).isInstanceOf(ErrorResponse.class);
    assertThatThrownBy(() -> ping(clusterAuthority.node("e")))
        .isInstanceOf(ExecutionException.class);
  }

  @Test
  void shouldNameTheUnusableFile() throws Exception {
    ClusterTls good = new TestAuthority(folder.resolve("ours")).node("b");
    ClusterTls swapped = new ClusterTls(good.keyFile(), good.certFile(), good.trustFile());
    assertThatThrownBy(() -> listen(swapped))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("b.key")
        .hasMessageContaining("needs a PEM certificate");
  }

  private void listen(ClusterTls tls) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    addresses.put(SERVER, requireNonNull(transport(SERVER, any, tls).boundAddress()));
  }

  private RaftTransport transport(
      NodeId self, @Nullable InetSocketAddress bind, @Nullable ClusterTls tls) {
    RaftPortConfig port =
        new RaftPortConfig(
            bind,
            addresses::get,
            TransportSettings.DEFAULT,
            tls,
            StartFence.inMemory(self, StartStamp.NONE));
    RaftTransport created =
        new RaftTransport(
            self,
            port,
            new SnapshotExports(Duration.ofSeconds(1), System::nanoTime, 0),
            ConsensusObserver.NONE);
    openTransports.add(created);
    return created;
  }

  private Message ping(@Nullable ClusterTls tls) throws Exception {
    CompletableFuture<Message> result = new CompletableFuture<>();
    transport(CLIENT, null, tls)
        .send(
            SERVER,
            PING,
            5_000,
            (response, failure) -> {
              if (response != null) {
                result.complete(response);
              } else {
                result.completeExceptionally(requireNonNull(failure));
              }
            });
    return result.get(20, TimeUnit.SECONDS);
  }
}
