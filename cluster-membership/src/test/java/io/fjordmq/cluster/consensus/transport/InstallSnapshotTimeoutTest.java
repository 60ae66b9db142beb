package io.fjordmq.cluster.consensus.transport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The leader's call that makes a follower install a snapshot takes as long as the follower makes
 * progress, and fails when it makes none (decision 0041). Progress is measured in simulated time.
 */
final class InstallSnapshotTimeoutTest {
  private static final NodeId LEADER = new NodeId("leader");
  private static final NodeId FOLLOWER = new NodeId("follower");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int CHUNK = 10;
  private static final String ROWS = "0123456789".repeat(3);

  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger checks = new AtomicInteger();
  private final SnapshotExports exports = new SnapshotExports(TIMEOUT, this::readClock, 0);
  private final CompletableFuture<Message> response = new CompletableFuture<>();
  private Follower follower;
  private RaftTransport leader;
  private long offer;

  /** Only the leader's call reads the clock between the steps of a test. */
  private long readClock() {
    checks.incrementAndGet();
    return nanos.get();
  }

  @BeforeEach
  void callFollower() throws Exception {
    follower = new Follower();
    leader =
        new RaftTransport(
            LEADER,
            new RaftPortConfig(
                null,
                node -> follower.address(),
                checkingEveryMillisecond(),
                StartFence.inMemory(LEADER, StartStamp.NONE)),
            exports,
            ConsensusObserver.NONE);
    SnapshotMeta meta =
        SnapshotMeta.newBuilder().setLastIncludedIndex(5).setLastIncludedTerm(1).build();
    offer =
        exports.offer(new GroupId("inbox-1"), this::export, new CheckpointRecord(5, meta), folder);
    InstallSnapshotRequest install =
        InstallSnapshotRequest.newBuilder()
            .setGroupId("inbox-1")
            .setServerId(LEADER.value())
            .setPeerId(FOLLOWER.value())
            .setTerm(1)
            .setMeta(meta)
            .setUri("fjord://" + LEADER + "/" + offer)
            .build();
    leader.send(
        FOLLOWER,
        install,
        1, // jraft's timeout, which does not apply
        (message, failure) -> {
          if (message != null) {
            response.complete(message);
          } else {
            response.completeExceptionally(requireNonNull(failure));
          }
        });
    assertThat(follower.request.get(20, TimeUnit.SECONDS).message()).isEqualTo(install);
  }

  @AfterEach
  void close() throws Exception {
    leader.close();
    follower.close();
  }

  /** The call checks for progress every millisecond of real time. */
  private static TransportSettings checkingEveryMillisecond() {
    return SnapshotTransportSettings.of(Duration.ofMillis(1), CHUNK, 0);
  }

  private long export(Path directory) throws IOException {
    Files.writeString(directory.resolve("rows"), ROWS);
    return 5;
  }

  private void advanceClock(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }

  /** The leader serves a request of the follower. */
  private void serve(String file, long offset) {
    GetFileRequest request =
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(file)
            .setOffset(offset)
            .setCount(CHUNK)
            .build();
    RecordingContext context = new RecordingContext();
    exports.handleRequest(context, request, Runnable::run);
    assertThat(context.response).isInstanceOf(GetFileResponse.class);
  }

  /** Returns when the call has checked for progress and found some. */
  private void awaitExtension() {
    int before = checks.get();
    Await.until(
        "the call continues after a check, or has failed",
        () -> checks.get() >= before + 2 || response.isDone());
    assertThat(response).as("the call").isNotDone();
  }

  private void awaitTimeout() {
    Await.until("the call fails", response::isDone);
    assertThat(response)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(InvokeTimeoutException.class);
  }

  @Test
  void shouldWaitAsLongAsTheFollowerFetchesAndInstalls() throws Exception {
    advanceClock(TIMEOUT);
    awaitExtension();
    serve(SnapshotExports.MANIFEST, 0);
    for (int offset = 0; offset < ROWS.length(); offset += CHUNK) {
      advanceClock(TIMEOUT);
      awaitExtension();
      serve("rows", offset);
    }
    for (int notice = 0; notice < 3; notice++) {
      advanceClock(TIMEOUT);
      awaitExtension();
      serve(SnapshotExports.INSTALLING, 0);
    }
    advanceClock(TIMEOUT);
    awaitExtension();
    InstallSnapshotResponse installed =
        InstallSnapshotResponse.newBuilder().setTerm(1).setSuccess(true).build();
    follower.respond(installed);
    assertThat(response.get(20, TimeUnit.SECONDS)).isEqualTo(installed);
  }

  @Test
  void shouldTimeOutIfTheFollowerNeverFetches() {
    advanceClock(TIMEOUT.plusNanos(1));
    awaitTimeout();
  }

  @Test
  void shouldTimeOutWhenTheFollowerStopsFetching() {
    serve(SnapshotExports.MANIFEST, 0);
    advanceClock(TIMEOUT);
    serve("rows", 0);
    advanceClock(TIMEOUT);
    awaitExtension();
    advanceClock(Duration.ofNanos(1));
    awaitTimeout();
  }

  private static final class RecordingContext implements RpcContext {
    private @Nullable Object response;

    @Override
    public void sendResponse(Object response) {
      this.response = response;
    }

    @Override
    public @Nullable Connection getConnection() {
      return null;
    }

    @Override
    public String getRemoteAddress() {
      return "the follower";
    }
  }

  /** Accepts one connection, and responds to the first request on {@link #respond}. */
  private static final class Follower implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<Socket> connection = new CompletableFuture<>();
    private final CompletableFuture<RaftFrame.Call> request = new CompletableFuture<>();
    private final Thread thread = new Thread(this::serve, "follower");

    private Follower() throws IOException {
      thread.start();
    }

    private InetSocketAddress address() {
      return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private void serve() {
      try {
        Socket accepted = server.accept();
        connection.complete(accepted);
        DataInputStream in = new DataInputStream(accepted.getInputStream());
        assertThat(readFrame(in).readByte()).isEqualTo(RaftFrame.HELLO);
        RaftFrame.Welcome welcome =
            new RaftFrame.Welcome(RaftFrame.VERSIONS.highest(), StartStamp.NONE);
        write(RaftFrame.encodeWelcome(UnpooledByteBufAllocator.DEFAULT, welcome));
        ByteBuf frame = readFrame(in);
        assertThat(frame.readByte()).isEqualTo(RaftFrame.REQUEST);
        request.complete(RaftFrame.readCall(frame));
      } catch (Exception | AssertionError e) {
        connection.completeExceptionally(e);
        request.completeExceptionally(e);
      }
    }

    private static ByteBuf readFrame(DataInputStream in) throws IOException {
      return Unpooled.wrappedBuffer(in.readNBytes(in.readInt()));
    }

    private void write(ByteBuf frame) throws Exception {
      frame.readBytes(connection.get().getOutputStream(), frame.readableBytes()).release();
    }

    private void respond(Message message) throws Exception {
      long call = request.get().call();
      write(RaftFrame.encode(UnpooledByteBufAllocator.DEFAULT, RaftFrame.RESPONSE, call, message));
    }

    @Override
    public void close() throws Exception {
      server.close();
      if (connection.isDone() && !connection.isCompletedExceptionally()) {
        connection.get().close();
      }
      thread.join();
    }
  }
}
