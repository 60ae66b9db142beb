package io.fjordmq.cluster.consensus.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A snapshot fetch may take any time as long as it makes progress, resumes after a failure, and
 * requires free disk space.
 */
final class SnapshotFetchTest {
  private static final GroupId GROUP = new GroupId("inbox-1");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration FORMER_TIMEOUT = Duration.ofMinutes(5);
  private static final int CHUNK = 10;
  private static final String TEXT = "0123456789".repeat(10);

  @TempDir Path folder;
  private final SimulatedTime time = new SimulatedTime();
  private final SnapshotExports exports = new SnapshotExports(TIMEOUT, () -> time.nanos, 7_000);
  private final List<GetFileRequest> requests = new ArrayList<>();
  private final Deque<Runnable> pendingExports = new ArrayDeque<>();
  private int exported;
  private long reserve;
  private Interruption interruption = request -> false;

  /** Decides which requests are lost. */
  private interface Interruption {
    boolean loses(GetFileRequest request);
  }

  private static final class SimulatedTime implements SnapshotFetch.Clock {
    long nanos;
    Runnable onPause = () -> {};

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public void pause(long millis) {
      advance(Duration.ofMillis(millis));
      onPause.run();
    }

    void advance(Duration duration) {
      nanos += duration.toNanos();
    }
  }

  private long export(Path directory) throws IOException {
    exported++;
    Files.writeString(directory.resolve("rows"), TEXT);
    Files.createFile(directory.resolve("empty"));
    return 5;
  }

  private long offer(long index) {
    SnapshotMeta meta =
        SnapshotMeta.newBuilder().setLastIncludedIndex(index).setLastIncludedTerm(1).build();
    return exports.offer(
        GROUP, this::export, new CheckpointRecord(5, meta), folder.resolve("outgoing"));
  }

  /** The other node; loses the requests that the interruption selects. */
  private CompletableFuture<GetFileResponse> send(GetFileRequest request) {
    requests.add(request);
    if (interruption.loses(request)) {
      return CompletableFuture.failedFuture(new IOException("the connection was lost"));
    }
    RecordingContext context = new RecordingContext();
    exports.handleRequest(context, request, pendingExports::add);
    return context.result;
  }

  private static final class RecordingContext implements RpcContext {
    final CompletableFuture<GetFileResponse> result = new CompletableFuture<>();

    @Override
    public void sendResponse(Object response) {
      if (response instanceof ErrorResponse error) {
        result.completeExceptionally(new SnapshotGoneException(error.getErrorMsg()));
      } else {
        result.complete((GetFileResponse) response);
      }
    }

    @Override
    public @Nullable Connection getConnection() {
      return null;
    }

    @Override
    public String getRemoteAddress() {
      return "a test";
    }
  }

  private SnapshotFetch fetch(long offer, SnapshotSpace space) {
    TransportSettings settings = SnapshotTransportSettings.of(TIMEOUT, CHUNK, reserve);
    SnapshotFetch fetch =
        new SnapshotFetch(
            "fjord://n1/" + offer,
            offer,
            folder.resolve("incoming/1"),
            this::send,
            space,
            settings,
            time,
            Runnable::run,
            SnapshotFetch.Listener.NONE);
    fetch.start();
    return fetch;
  }

  private SnapshotFetch fetch(long offer) {
    return fetch(offer, new SnapshotSpace(reserve, () -> time.nanos));
  }

  private void runExports() {
    while (!pendingExports.isEmpty()) {
      pendingExports.remove().run();
    }
  }

  private void assertComplete(SnapshotFetch fetch) throws IOException {
    assertThat(fetch.isOk()).as(fetch.getErrorMsg()).isTrue();
    assertThat(Files.readString(folder.resolve("incoming/1/rows"))).isEqualTo(TEXT);
    assertThat(folder.resolve("incoming/1/empty")).exists();
    assertThat(folder.resolve("incoming/1.manifest")).doesNotExist();
  }

  @Test
  void shouldWaitForAnExportWithoutATimeLimitAsLongAsItGrows() throws Exception {
    long offer = offer(5);
    Path growing = folder.resolve("outgoing/7001/growing");
    long[] steps = {0};
    time.onPause =
        () -> {
          time.advance(TIMEOUT.dividedBy(2));
          steps[0]++;
          if (steps[0] * TIMEOUT.dividedBy(2).toMillis() > 2 * FORMER_TIMEOUT.toMillis()) {
            runExports();
            return;
          }
          try {
            Files.createDirectories(growing.getParent());
            Files.writeString(growing, "x".repeat((int) steps[0]), UTF_8);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          assertThat(exports.hasProgressed(offer)).as("the leader also waits").isTrue();
        };
    assertComplete(fetch(offer));
    assertThat(time.nanos).isGreaterThan(2 * FORMER_TIMEOUT.toNanos());
  }

  @Test
  void shouldFetchWithoutATimeLimitAsLongAsPartsArrive() throws Exception {
    time.onPause = this::runExports;
    long offer = offer(5);
    interruption =
        request -> {
          boolean isPart = request.getFilename().equals("rows");
          time.advance(isPart ? Duration.ofMinutes(2) : Duration.ZERO); // each part takes this long
          return false;
        };
    assertComplete(fetch(offer));
    assertThat(time.nanos).isGreaterThan(2 * FORMER_TIMEOUT.toNanos());
  }

  @Test
  void shouldFailWithoutProgress() {
    SnapshotFetch fetch = fetch(offer(5)); // the export never runs
    assertThat(fetch.isOk()).isFalse();
    assertThat(fetch.getErrorMsg()).contains("no progress for 30000 ms");
    assertThat(exports.hasProgressed(7_001)).as("the leader also gives up").isFalse();
  }

  @Test
  void shouldRequestSeveralPartsBeforeTheFirstArrives() {
    List<CompletableFuture<GetFileResponse>> outstanding = new ArrayList<>();
    long offer = offer(5);
    SnapshotSource slow =
        request -> {
          CompletableFuture<GetFileResponse> real = send(request);
          if (!request.getFilename().equals("rows")) {
            return real;
          }
          CompletableFuture<GetFileResponse> late = new CompletableFuture<>();
          outstanding.add(late);
          if (outstanding.size()
              == 4) { // a first part that waits for the fourth would never arrive
            outstanding.forEach(one -> one.completeExceptionally(new IOException("enough")));
          }
          return late;
        };
    SnapshotFetch fetch =
        new SnapshotFetch(
            "fjord://n1/" + offer,
            offer,
            folder.resolve("incoming/1"),
            slow,
            new SnapshotSpace(0, () -> time.nanos),
            SnapshotTransportSettings.of(TIMEOUT, CHUNK, 0),
            time,
            Runnable::run,
            SnapshotFetch.Listener.NONE);
    time.onPause =
        () -> {
          runExports();
          if (outstanding.size() >= 4) {
            fetch.cancel();
          }
        };
    fetch.start();
    assertThat(outstanding).as("requested before any arrived").hasSizeGreaterThanOrEqualTo(4);
  }

  @Test
  void shouldResumeAfterAFailure() throws Exception {
    time.onPause = this::runExports;
    long offer = offer(5);
    interruption = request -> request.getOffset() >= 60;
    SnapshotFetch broken = fetch(offer);
    assertThat(broken.isOk()).isFalse();
    exports.withdraw(offer);
    assertThat(exports.ids()).as("the snapshot is kept for a while").containsExactly(offer);
    assertThat(offer(5)).as("the same snapshot again").isEqualTo(offer);

    interruption = request -> false;
    requests.clear();
    assertComplete(fetch(offer));
    assertThat(requests)
        .filteredOn(request -> request.getFilename().equals("rows"))
        .extracting(GetFileRequest::getOffset)
        .containsExactly(60L, 70L, 80L, 90L);
    assertThat(exported).isEqualTo(1);
    exports.withdraw(offer);
    assertThat(exports.ids()).as("the snapshot was fetched").isEmpty();
  }

  @Test
  void shouldStartOverWithAnotherSnapshot() throws Exception {
    time.onPause = this::runExports;
    long offer = offer(5);
    interruption = request -> request.getOffset() >= 60;
    fetch(offer);
    interruption = request -> false;
    requests.clear();
    assertComplete(fetch(offer(6)));
    assertThat(requests).extracting(GetFileRequest::getOffset).contains(0L, 50L);
  }

  @Test
  void shouldRefuseASnapshotBeforeFetchingItIfDiskSpaceIsLow() {
    time.onPause = this::runExports;
    reserve = Long.MAX_VALUE / 2;
    SnapshotSpace space = new SnapshotSpace(reserve, () -> time.nanos);
    SnapshotFetch refused = fetch(offer(5), space);
    assertThat(refused.isOk()).isFalse();
    assertThat(refused.getErrorMsg())
        .contains(
            "not enough disk space for a snapshot of 100 bytes: fetching and installing needs 200 bytes");
    assertThat(requests).noneMatch(request -> request.getFilename().equals("rows"));

    requests.clear();
    assertThat(fetch(offer(5), space).isOk()).isFalse();
    assertThat(requests).as("not requested again for a while").isEmpty();
    time.advance(Duration.ofSeconds(31));
    fetch(offer(5), space);
    assertThat(requests).as("retried later").isNotEmpty();
  }

  @Test
  void shouldRetainTheLogDuringAFetchAndExpireUnusedSnapshots() {
    time.onPause = this::runExports;
    long offer = offer(5);
    assertThat(exports.preventsTruncation(GROUP)).as("no node has requested it").isFalse();
    fetch(offer);
    assertThat(exports.preventsTruncation(GROUP)).isTrue();
    time.advance(TIMEOUT);
    send(
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(SnapshotExports.INSTALLING)
            .setOffset(0)
            .setCount(0)
            .build());
    time.advance(TIMEOUT);
    assertThat(exports.preventsTruncation(GROUP)).as("the snapshot is being installed").isTrue();
    time.advance(Duration.ofSeconds(1));
    assertThat(exports.preventsTruncation(GROUP)).isFalse();

    long other = offer(6);
    interruption = request -> request.getOffset() >= 60;
    fetch(other);
    exports.withdraw(other);
    exports.expire();
    assertThat(exports.ids()).containsExactly(offer);
    assertThat(folder.resolve("outgoing/" + other)).doesNotExist();
  }
}
