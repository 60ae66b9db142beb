package io.fjordmq.cluster.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
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

/** A copy comes over however long it takes, goes on after a break, and needs room on the disk. */
final class SnapshotFetchTest {
  private static final GroupId GROUP = new GroupId("inbox-1");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration OLD_LIMIT = Duration.ofMinutes(5);
  private static final int CHUNK = 10;
  private static final String TEXT = "0123456789".repeat(10);

  @TempDir Path folder;
  private final SimulatedTime time = new SimulatedTime();
  private final SnapshotExports exports = new SnapshotExports(PATIENCE, () -> time.nanos, 7_000);
  private final List<GetFileRequest> asked = new ArrayList<>();
  private final Deque<Runnable> exporting = new ArrayDeque<>();
  private int exported;
  private long reserve;
  private Interruption interruption = request -> false;

  /** Which requests get lost on the way. */
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
      pass(Duration.ofMillis(millis));
      onPause.run();
    }

    void pass(Duration duration) {
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

  /** The other node, which loses what the interruption says. */
  private CompletableFuture<GetFileResponse> ask(GetFileRequest request) {
    asked.add(request);
    if (interruption.loses(request)) {
      return CompletableFuture.failedFuture(new IOException("the connection was lost"));
    }
    Answer answer = new Answer();
    exports.handleRequest(answer, request, exporting::add);
    return answer.result;
  }

  private static final class Answer implements RpcContext {
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
    TransportSettings standard = TransportSettings.DEFAULT;
    TransportSettings settings =
        new TransportSettings(
            standard.connectTimeout(),
            standard.reconnectPause(),
            standard.silence(),
            standard.heartbeatTick(),
            standard.maxQueuedBytes(),
            standard.maxFrameBytes(),
            standard.workers(),
            standard.queuedRequests(),
            PATIENCE,
            CHUNK,
            reserve);
    SnapshotFetch fetch =
        new SnapshotFetch(
            "fjord://n1/" + offer,
            offer,
            folder.resolve("incoming/1"),
            this::ask,
            space,
            settings,
            time,
            Runnable::run);
    fetch.start();
    return fetch;
  }

  private SnapshotFetch fetch(long offer) {
    return fetch(offer, new SnapshotSpace(reserve, () -> time.nanos));
  }

  private void makeCopies() {
    while (!exporting.isEmpty()) {
      exporting.remove().run();
    }
  }

  private void assertComplete(SnapshotFetch fetch) throws IOException {
    assertThat(fetch.isOk()).as(fetch.getErrorMsg()).isTrue();
    assertThat(Files.readString(folder.resolve("incoming/1/rows"))).isEqualTo(TEXT);
    assertThat(folder.resolve("incoming/1/empty")).exists();
    assertThat(folder.resolve("incoming/1.manifest")).doesNotExist();
  }

  @Test
  void shouldWaitForACopyThatIsMadeForLongerThanAnyLimitAsLongAsItGrows() throws Exception {
    long offer = offer(5);
    Path growing = folder.resolve("outgoing/7001/growing");
    long[] steps = {0};
    time.onPause =
        () -> {
          time.pass(PATIENCE.dividedBy(2));
          steps[0]++;
          if (steps[0] * PATIENCE.dividedBy(2).toMillis() > 2 * OLD_LIMIT.toMillis()) {
            makeCopies();
            return;
          }
          try {
            Files.createDirectories(growing.getParent());
            Files.writeString(growing, "x".repeat((int) steps[0]), UTF_8);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          assertThat(exports.hasProgressed(offer)).as("the leader waits, too").isTrue();
        };
    assertComplete(fetch(offer));
    assertThat(time.nanos).isGreaterThan(2 * OLD_LIMIT.toNanos());
  }

  @Test
  void shouldFetchForLongerThanAnyLimitAsLongAsPartsCome() throws Exception {
    time.onPause = this::makeCopies;
    long offer = offer(5);
    interruption =
        request -> {
          boolean isPart = request.getFilename().equals("rows");
          time.pass(isPart ? Duration.ofMinutes(2) : Duration.ZERO); // each part takes that long
          return false;
        };
    assertComplete(fetch(offer));
    assertThat(time.nanos).isGreaterThan(2 * OLD_LIMIT.toNanos());
  }

  @Test
  void shouldGiveUpWhenNothingComes() {
    SnapshotFetch fetch = fetch(offer(5)); // nobody makes the copy
    assertThat(fetch.isOk()).isFalse();
    assertThat(fetch.getErrorMsg()).contains("no progress for 30000 ms");
    assertThat(exports.hasProgressed(7_001)).as("the leader gives up, too").isFalse();
  }

  @Test
  void shouldAskForSeveralPartsBeforeTheFirstHasCome() {
    List<CompletableFuture<GetFileResponse>> held = new ArrayList<>();
    long offer = offer(5);
    SnapshotSource slow =
        request -> {
          CompletableFuture<GetFileResponse> real = ask(request);
          if (!request.getFilename().equals("rows")) {
            return real;
          }
          CompletableFuture<GetFileResponse> late = new CompletableFuture<>();
          held.add(late);
          if (held.size() == 4) { // a first one that waits for the fourth would wait for ever
            held.forEach(one -> one.completeExceptionally(new IOException("enough")));
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
            settingsOfSmallParts(),
            time,
            Runnable::run);
    time.onPause =
        () -> {
          makeCopies();
          if (held.size() >= 4) {
            fetch.cancel();
          }
        };
    fetch.start();
    assertThat(held).as("asked before any had come").hasSizeGreaterThanOrEqualTo(4);
  }

  private static TransportSettings settingsOfSmallParts() {
    TransportSettings standard = TransportSettings.DEFAULT;
    return new TransportSettings(
        standard.connectTimeout(),
        standard.reconnectPause(),
        standard.silence(),
        standard.heartbeatTick(),
        standard.maxQueuedBytes(),
        standard.maxFrameBytes(),
        standard.workers(),
        standard.queuedRequests(),
        PATIENCE,
        CHUNK,
        0);
  }

  @Test
  void shouldGoOnBehindWhatIsThereAfterABreak() throws Exception {
    time.onPause = this::makeCopies;
    long offer = offer(5);
    interruption = request -> request.getOffset() >= 60;
    SnapshotFetch broken = fetch(offer);
    assertThat(broken.isOk()).isFalse();
    exports.withdraw(offer);
    assertThat(exports.ids()).as("it stays for a while").containsExactly(offer);
    assertThat(offer(5)).as("the same copy again").isEqualTo(offer);

    interruption = request -> false;
    asked.clear();
    assertComplete(fetch(offer));
    assertThat(asked)
        .filteredOn(request -> request.getFilename().equals("rows"))
        .extracting(GetFileRequest::getOffset)
        .containsExactly(60L, 70L, 80L, 90L);
    assertThat(exported).isEqualTo(1);
    exports.withdraw(offer);
    assertThat(exports.ids()).as("it was fetched").isEmpty();
  }

  @Test
  void shouldBeginAnewWithAnotherCopy() throws Exception {
    time.onPause = this::makeCopies;
    long offer = offer(5);
    interruption = request -> request.getOffset() >= 60;
    fetch(offer);
    interruption = request -> false;
    asked.clear();
    assertComplete(fetch(offer(6)));
    assertThat(asked).extracting(GetFileRequest::getOffset).contains(0L, 50L);
  }

  @Test
  void shouldRefuseACopyBeforeItIsFetchedIfThereIsTooLittleSpace() {
    time.onPause = this::makeCopies;
    reserve = Long.MAX_VALUE / 2;
    SnapshotSpace space = new SnapshotSpace(reserve, () -> time.nanos);
    SnapshotFetch refused = fetch(offer(5), space);
    assertThat(refused.isOk()).isFalse();
    assertThat(refused.getErrorMsg())
        .contains(
            "not enough disk space for a snapshot of 100 bytes: fetching and installing needs 200 bytes");
    assertThat(asked).noneMatch(request -> request.getFilename().equals("rows"));

    asked.clear();
    assertThat(fetch(offer(5), space).isOk()).isFalse();
    assertThat(asked).as("not even asked for a while").isEmpty();
    time.pass(Duration.ofSeconds(31));
    fetch(offer(5), space);
    assertThat(asked).as("tried again later").isNotEmpty();
  }

  @Test
  void shouldHoldTheLogWhileACopyIsFetchedAndForgetOneThatNobodyFetches() {
    time.onPause = this::makeCopies;
    long offer = offer(5);
    assertThat(exports.holdsLog(GROUP)).as("nobody has asked for it").isFalse();
    fetch(offer);
    assertThat(exports.holdsLog(GROUP)).isTrue();
    time.pass(PATIENCE);
    ask(
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(SnapshotExports.INSTALLING)
            .setOffset(0)
            .setCount(0)
            .build());
    time.pass(PATIENCE);
    assertThat(exports.holdsLog(GROUP)).as("it is being installed").isTrue();
    time.pass(Duration.ofSeconds(1));
    assertThat(exports.holdsLog(GROUP)).isFalse();

    long other = offer(6);
    interruption = request -> request.getOffset() >= 60;
    fetch(other);
    exports.withdraw(other);
    exports.expire();
    assertThat(exports.ids()).containsExactly(offer);
    assertThat(folder.resolve("outgoing/" + other)).doesNotExist();
  }
}
