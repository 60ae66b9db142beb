package io.fjordmq.broker.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RecentAuditLogTest {
  private static final Caller ANN = new Caller("ann", Caller.Kind.USER, Role.ADMINISTRATOR, null);

  private final RecentAuditLog log = new RecentAuditLog(5);

  private static AuditRecord record(String target, int status) {
    return new AuditRecord(Instant.EPOCH, ANN, "192.0.2.1", "kickClient", target, status);
  }

  private void add(int from, int to) {
    for (int i = from; i <= to; i++) {
      log.record(record("c" + i, i % 2 == 0 ? 204 : 404));
    }
  }

  private List<String> all(int limit) {
    List<String> targets = new ArrayList<>();
    @Nullable Long cursor = null;
    do {
      AuditLog.Page page = log.page(cursor, limit, any -> true);
      assertThat(page.records()).hasSizeLessThanOrEqualTo(limit);
      page.records().forEach(record -> targets.add(record.target()));
      cursor = page.next();
    } while (cursor != null);
    return targets;
  }

  @Test
  void shouldReturnTheLatestRecordsNewestFirst() {
    assertThat(all(2)).isEmpty();
    add(1, 3);
    for (int limit : new int[] {1, 2, 3, 100}) {
      assertThat(all(limit)).containsExactly("c3", "c2", "c1");
    }
    add(4, 12);
    for (int limit : new int[] {1, 2, 5, 100}) {
      assertThat(all(limit)).containsExactly("c12", "c11", "c10", "c9", "c8");
    }
  }

  @Test
  void shouldContinueAtACursorWhileRecordsAreAdded() {
    add(1, 5);
    AuditLog.Page first = log.page(null, 2, any -> true);
    add(6, 7); // c1 and c2 are no longer in memory
    AuditLog.Page second = log.page(first.next(), 2, any -> true);
    assertThat(second.records()).extracting(AuditRecord::target).containsExactly("c3");
    assertThat(second.next()).isNull();
    assertThat(log.page(-5L, 10, any -> true).records()).isEmpty();
    assertThat(log.page(Long.MAX_VALUE, 10, any -> true).records()).hasSize(5);
  }

  @Test
  void shouldFilter() {
    add(1, 5);
    AuditLog.Page page = log.page(null, 2, AuditRecord::isSuccess);
    assertThat(page.records()).extracting(AuditRecord::target).containsExactly("c4", "c2");
    assertThat(page.next()).isNull();
    AuditLog.Page failures = log.page(null, 2, record -> !record.isSuccess());
    assertThat(failures.records()).extracting(AuditRecord::target).containsExactly("c5", "c3");
    assertThat(log.page(failures.next(), 2, record -> !record.isSuccess()).records())
        .extracting(AuditRecord::target)
        .containsExactly("c1");
  }

  @Test
  void shouldLogEachRecordOnOneLine() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.fjordmq.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      log.record(record("x\n2030 INFO forged\u2028\u202e\ud800", 204));
      log.record(new AuditRecord(Instant.EPOCH, null, "::1", "login", "y".repeat(10_000), 401));
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "API change made operation=kickClient status=204 caller=ann kind=USER"
                + " address=192.0.2.1 target=x?2030 INFO forged???",
            "API change refused operation=login status=401 caller= kind= address=::1 target="
                + "y".repeat(256)
                + "…");
  }
}
