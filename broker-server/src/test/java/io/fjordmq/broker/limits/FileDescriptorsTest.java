package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.broker.limits.FileDescriptors.Count;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections cannot use the reserved file descriptors. */
class FileDescriptorsTest {
  private Count count = new Count(100, 300);
  private int countCalls;
  private long now;

  private FileDescriptors descriptors(int reserve) {
    return new FileDescriptors(
        () -> {
          countCalls++;
          return count;
        },
        reserve,
        () -> now);
  }

  private static int countAdmitted(FileDescriptors descriptors, int tries) {
    int admitted = 0;
    for (int i = 0; i < tries; i++) {
      admitted += descriptors.admit() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void shouldAdmitConnectionsUpToTheReserve() {
    FileDescriptors descriptors = descriptors(50);
    assertThat(countAdmitted(descriptors, 1_000)).isEqualTo(150);
    assertThat(descriptors.reasons())
        .containsExactly(
            "file descriptors: 250 of 300 in use, 50 reserved; raise the limit (ulimit -n)");
  }

  @Test
  void shouldAdmitANewConnectionForEachThatCloses() {
    FileDescriptors descriptors = descriptors(50);
    countAdmitted(descriptors, 150);
    for (int i = 0; i < 20; i++) {
      descriptors.onConnectionClosed();
    }
    assertThat(countAdmitted(descriptors, 1_000)).isEqualTo(20);
  }

  @Test
  void shouldBecomeReadyAgainWhenEnoughDescriptorsAreFree() {
    FileDescriptors descriptors = descriptors(40);
    countAdmitted(descriptors, 1_000);
    count = new Count(249, 300);
    for (int i = 0; i < 3; i++) {
      assertThat(descriptors.reasons()).as("one free descriptor is not enough").hasSize(1);
      now += 1_000;
      descriptors.refresh();
    }
    assertThat(descriptors.reasons()).isEmpty();
    assertThat(countAdmitted(descriptors, 1_000)).isEqualTo(11);
  }

  @Test
  void shouldCountDescriptorsNotOpenedByClients() {
    FileDescriptors descriptors = descriptors(50);
    count = new Count(290, 300);
    now += 30_000;
    descriptors.refresh();
    assertThat(descriptors.reasons()).hasSize(1);
    assertThat(descriptors.admit()).isFalse();
  }

  @Test
  void shouldCountDescriptorsRarelyWhileManyAreFree() {
    FileDescriptors descriptors = descriptors(50);
    for (int i = 0; i < 100; i++) {
      now += 1_000;
      descriptors.refresh();
    }
    assertThat(countCalls).isEqualTo(1 + 3);
    countAdmitted(descriptors, 100);
    for (int i = 0; i < 10; i++) {
      now += 1_000;
      descriptors.refresh();
    }
    assertThat(countCalls).as("the count now includes the connections").isEqualTo(1 + 3 + 1);
    count = new Count(200, 300);
    now += 30_000;
    descriptors.refresh();
    for (int i = 0; i < 10; i++) {
      now += 1_000;
      descriptors.refresh();
    }
    assertThat(countCalls).isEqualTo(1 + 3 + 1 + 1 + 10);
  }

  @Test
  void shouldAdmitAllConnectionsWithoutAReserveOrACount() {
    assertThat(countAdmitted(descriptors(0), 1_000)).isEqualTo(1_000);
    assertThat(
            countAdmitted(
                new FileDescriptors(() -> FileDescriptors.Count.UNKNOWN, 0, () -> 0), 1_000))
        .isEqualTo(1_000);
    FileDescriptors unknown = new FileDescriptors(() -> Count.UNKNOWN, 50, () -> now);
    assertThat(countAdmitted(unknown, 1_000)).isEqualTo(1_000);
  }

  @Test
  void shouldCountDescriptorsOfThisProcess() {
    Count own = FileDescriptors.ofThisProcess();
    assertThat(own.open()).isPositive().isLessThan(own.max());
  }

  @Test
  void shouldWarnIfTheConfigurationNeedsMoreThanTheLimit() {
    assertThat(captureWarnings(descriptors(50), 250)).isEmpty();
    assertThat(captureWarnings(descriptors(50), 251))
        .containsExactly(
            "The open-file limit is lower than the configuration needs; raise it (ulimit -n) or "
                + "lower maxConnections of the listeners limit=300 needed=301");
    FileDescriptors unknown = new FileDescriptors(() -> Count.UNKNOWN, 50, () -> now);
    assertThat(captureWarnings(unknown, 1_000_000)).isEmpty();
  }

  private static List<String> captureWarnings(FileDescriptors descriptors, long needed) {
    Logger logger = (Logger) LoggerFactory.getLogger(FileDescriptors.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      descriptors.warnIfFewerThan(needed);
    } finally {
      logger.detachAppender(log);
    }
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
