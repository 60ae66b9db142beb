package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttQoS;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Operations that fail on an unavailable store must not flood the log. */
class StoreFailureLogTest {
  /** Failures of each kind. One line per 10 s is allowed, so even a slow run writes few. */
  private static final int FAILURES = 1_000;

  private static final int MAX_LINES = 20;
  private static final Throwable CAUSE = new IllegalStateException("no leader");

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(StoreFailureLog.class);

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(appender);
  }

  private List<String> linesStartingWith(String start) {
    return appender.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.startsWith(start))
        .toList();
  }

  /** Each client fails once for each filter; the limit applies to all clients together. */
  @Test
  void shouldLimitLogLinesAboutRetainedMessagesAcrossClients() {
    try (World world = new World()) {
      world.retained.busy = true;
      int filters = FAILURES / 2;
      for (String clientId : List.of("a", "b")) {
        TestClient client = world.open().connect3(clientId, true);
        client.expect("CONNACK 0");
        MqttMessageBuilders.SubscribeBuilder many = MqttMessageBuilders.subscribe().messageId(1);
        for (int i = 0; i < filters; i++) {
          many.addSubscription(MqttQoS.AT_MOST_ONCE, "f" + i);
        }
        client.send(many.build());
        assertThat(client.readAll()).hasSize(1);
      }
      assertThat(world.observer.dropped)
          .isEqualTo(Map.of(DropReason.RETAINED_UNAVAILABLE, (long) FAILURES));
    }
    List<String> lines =
        linesStartingWith("Failed to deliver retained messages for a new subscription");
    assertThat(lines).hasSizeBetween(1, MAX_LINES);
    assertThat(lines.get(0)).contains("too many queries").endsWith(" filter=f0 client=a tenant=t");
  }

  @Test
  void shouldLimitEachKindOfLogLineSeparately() {
    StoreFailureLog log = new StoreFailureLog();
    StoreFailureLog.Client client =
        new StoreFailureLog.Client() {
          @Override
          public String tenant() {
            return "t";
          }

          @Override
          public String clientId() {
            return "c";
          }

          @Override
          public StoreFailureLog storeFailures() {
            return log;
          }
        };
    for (int i = 0; i < FAILURES; i++) {
      log.onDisconnect(client, "reading the inbox", CAUSE);
      log.onDetachFailed(client, CAUSE);
      log.onSubscriptionChangeFailed(client, CAUSE);
    }
    for (String start :
        List.of(
            "Disconnected a client: reading the inbox failed: ",
            "Failed to detach an inbox; retrying",
            "Failed to change a subscription: ")) {
      assertThat(linesStartingWith(start))
          .hasSizeBetween(1, MAX_LINES)
          .allMatch(one -> one.contains("no leader"));
      assertThat(linesStartingWith(start).get(0)).endsWith(" client=c tenant=t");
    }
  }
}
