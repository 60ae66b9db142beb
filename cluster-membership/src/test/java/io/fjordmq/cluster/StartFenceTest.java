package io.fjordmq.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fence distinguishes a copy of a data directory from the original. */
final class StartFenceTest {
  private static final NodeId SELF = new NodeId("n1");
  private static final NodeId OTHER = new NodeId("n2");
  private static final StartStamp FIRST = new StartStamp(1, 10);
  private static final StartStamp SECOND = new StartStamp(2, 20);
  private static final StartStamp COPY_OF_SECOND = new StartStamp(2, 21);

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // opened before each test
  private DataDirectory directory;

  private final Random random = new Random(1);

  @BeforeEach
  void open() throws IOException {
    directory = DataDirectory.open(folder);
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private StartFence start() throws IOException {
    return StartFence.open(directory, SELF, random, Runnable::run);
  }

  private static StartFence.Refusal refused(StartFence fence, StartStamp presented) {
    return requireNonNull(fence.admit(OTHER, presented));
  }

  private static StartFence.@Nullable Refusal connect(StartFence fence, StartStamp presented) {
    StartFence.Refusal refusal = fence.admit(OTHER, presented);
    if (refusal == null) {
      fence.release(OTHER, presented);
    }
    return refusal;
  }

  @Test
  void shouldCountStartsOfADirectoryWithoutACounter() throws IOException {
    StartFence first = start();
    assertThat(first.ownStart().count()).isEqualTo(1);
    first.incrementCounter();
    assertThat(first.ownStart().count()).isEqualTo(2);
    StartFence second = start();
    assertThat(second.ownStart().count()).isEqualTo(3);
    assertThat(second.ownStart().token()).isNotEqualTo(first.ownStart().token());
  }

  @Test
  void shouldWriteTheDocumentedFormat() throws IOException {
    StartFence fence = StartFence.open(directory, SELF, new Random(1), Runnable::run);
    connect(fence, new StartStamp(7, -1));
    assertThat(Files.readString(folder.resolve("starts")))
        .isEqualTo("fjordmq starts, form 1\nn1 1 bb1ad57319b89cd8\nn2 7 ffffffffffffffff\n");
  }

  @Test
  void shouldRefuseALaterFormatAndADamagedFile() throws IOException {
    Files.writeString(folder.resolve("starts"), "fjordmq starts, form 2\n");
    assertThatThrownBy(this::start)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("upgrade this node");
    Files.writeString(folder.resolve("starts"), "fjordmq starts, form 1\nn1 x\n");
    assertThatThrownBy(this::start)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("'n1 x'");
  }

  @Test
  void shouldAdmitLaterStartsAndRefuseEarlierOnes() throws IOException {
    StartFence fence = start();
    assertThat(connect(fence, FIRST)).isNull();
    assertThat(connect(fence, FIRST)).as("the same start again").isNull();
    assertThat(connect(fence, SECOND)).isNull();
    StartFence.Refusal refusal = refused(fence, FIRST);
    assertThat(refusal.permanent()).isTrue();
    assertThat(refusal.reason())
        .contains("node n2 is an outdated copy")
        .contains("empty data directory");
    assertThat(fence.accepts(OTHER, FIRST)).isFalse();
    assertThat(fence.accepts(OTHER, SECOND)).isTrue();
  }

  @Test
  void shouldRefuseASecondCopyWithTheSameStartCounter() throws IOException {
    StartFence fence = start();
    assertThat(connect(fence, SECOND)).isNull();
    StartFence.Refusal refusal = refused(fence, COPY_OF_SECOND);
    assertThat(refusal.permanent()).isTrue();
    assertThat(refusal.reason()).contains("is a copy");
  }

  @Test
  void shouldRememberStartsOfOtherNodesAfterARestart() throws IOException {
    connect(start(), SECOND);
    StartFence restarted = start();
    assertThat(connect(restarted, FIRST)).isNotNull();
    assertThat(connect(restarted, COPY_OF_SECOND)).isNotNull();
    assertThat(connect(restarted, SECOND)).isNull();
  }

  @Test
  void shouldRefuseALaterStartWhileTheEarlierOneIsConnected() throws IOException {
    StartFence fence = start();
    assertThat(fence.admit(OTHER, FIRST)).isNull();
    StartFence.Refusal refusal = refused(fence, SECOND);
    assertThat(refusal.permanent()).isFalse();
    assertThat(refusal.reason())
        .contains("another process with the identity of node n2 is " + "connected");
    assertThat(fence.accepts(OTHER, FIRST)).as("the running process continues").isTrue();
    fence.release(OTHER, FIRST);
    assertThat(fence.admit(OTHER, SECOND)).isNull();
    assertThat(fence.accepts(OTHER, FIRST)).isFalse();
  }

  @Test
  void shouldRefuseAnOlderCopyOfARunningNodeOnceItsStartCounterHasIncreased() throws IOException {
    StartFence fence = start();
    StartStamp incremented = new StartStamp(3, FIRST.token());
    assertThat(fence.admit(OTHER, FIRST)).isNull();
    assertThat(fence.admit(OTHER, incremented)).as("the same process").isNull();
    assertThat(refused(fence, SECOND).permanent()).isTrue();
    assertThat(refused(fence, FIRST).permanent()).as("a resumed memory snapshot").isTrue();
  }

  @Test
  void shouldFollowTheMetadataIfTwoCopiesAreKnown() throws IOException {
    StartFence fence = start();
    connect(fence, SECOND);
    fence.onRegistered(OTHER, COPY_OF_SECOND);
    assertThat(refused(fence, SECOND).permanent()).isTrue();
    assertThat(connect(fence, COPY_OF_SECOND)).isNull();
    fence.onRegistered(OTHER, FIRST);
    assertThat(fence.latestStart(OTHER)).isEqualTo(COPY_OF_SECOND);
  }

  @Test
  void shouldFenceThisNodeIfTheMetadataHasALaterStart() throws IOException {
    StartFence fence = start();
    fence.onRegistered(SELF, fence.ownStart());
    assertThat(fence.fenceReason()).isNull();
    connect(fence, FIRST);
    fence.onRegistered(SELF, new StartStamp(1, 99));
    assertThat(fence.fenceReason()).contains("node n1 is a copy");
    assertThat(fence.fencedFuture()).isCompleted();
    assertThat(fence.accepts(OTHER, FIRST)).as("it is fenced").isFalse();
  }

  @Test
  void shouldRefuseAnotherProcessWithTheSameNodeId() throws IOException {
    StartFence fence = start();
    assertThat(fence.refusal(SELF, new StartStamp(5, 1))).isNotNull();
    assertThat(fence.refusal(SELF, fence.ownStart())).isNull();
  }

  @Test
  void shouldNotBeFencedForAHelloThatWasSentBeforeItsStartCounterIncreased() throws IOException {
    StartFence fence = start();
    StartStamp presented = fence.ownStart();
    fence.incrementCounter();
    fence.onRefused(presented, "an older copy");
    assertThat(fence.fenceReason()).isNull();
    fence.onRefused(fence.ownStart(), "an older copy");
    assertThat(fence.fenceReason()).isEqualTo("an older copy");
  }
}
