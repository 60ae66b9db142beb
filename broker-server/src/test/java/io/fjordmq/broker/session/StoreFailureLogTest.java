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

/** An unavailable store fails very many operations, but must not flood the log. */
class StoreFailureLogTest {
  /** Failures of a kind. One line is allowed in 10 s, so even a very slow run writes few. */
  private static final int FAILURES = 1_000;

  private static final int FEW = 20;
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

  private List<String> lines(String start) {
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
        assertThat(client.all()).hasSize(1);
      }
      assertThat(world.observer.dropped)
          .isEqualTo(Map.of(DropReason.RETAINED_UNAVAILABLE, (long) FAILURES));
    }
    List<String> lines = lines("Could not deliver retained messages: ");
    assertThat(lines).hasSizeBetween(1, FEW);
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
      log.onDetach(client, CAUSE);
      log.onSubscriptionChange(client, CAUSE);
    }
    for (String start :
        List.of(
            "Disconnected a client: reading the inbox failed: ",
            "Could not detach an inbox, retrying",
            "Failed to change a subscription: ")) {
      assertThat(lines(start)).hasSizeBetween(1, FEW).allMatch(one -> one.contains("no leader"));
      assertThat(lines(start).get(0)).endsWith(" client=c tenant=t");
    }
  }
}
