package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fjordmq.broker.logging.LogLevels;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One line for each client that connects and disconnects. */
class ClientLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(LogLevels.CLIENTS);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Level before = logger.getLevel();

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void restore() {
    logger.detachAppender(lines);
    logger.setAdditive(true);
    logger.setLevel(before);
  }

  private List<String> messages() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private static void connectAndDisconnect(World world, String clientId) {
    TestClient client = world.open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    client.disconnect();
  }

  @Test
  void shouldLogWhoConnectsAndWhy() {
    try (World world = new World()) {
      connectAndDisconnect(world, "c");
    }
    assertThat(messages())
        .containsExactly(
            "Client connected client=c user=\"\" tenant=t address=embedded listener=tcpListener"
                + " protocol=5 clean=true sessionPresent=false keepAliveSeconds=0"
                + " sessionExpirySeconds=0",
            "Client disconnected client=c user=\"\" tenant=t address=embedded"
                + " reason=client_disconnect code=- detail=\"DISCONNECT received\""
                + " connectedSeconds=0");
    assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.INFO);
  }

  @Test
  void shouldLogTheReasonCodeOfABroker() {
    try (World world = new World()) {
      world.open().connect5("c", true, 0).expect("CONNACK 0");
      world.open().connect5("c", true, 0).expect("CONNACK 0");
      assertThat(messages())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("Client disconnected client=c")
                      .contains("reason=session_taken_over code=0x8E"));
    }
  }

  @Test
  void shouldNotLetAClientForgeLines() {
    try (World world = new World()) {
      connectAndDisconnect(world, "x user=admin\n2026-01-01 ERROR forged");
    }
    assertThat(messages())
        .hasSize(2)
        .allMatch(line -> line.contains("client=\"x user=admin\\n2026-01-01 ERROR forged\" "))
        .noneMatch(line -> line.contains("\n"));
  }

  @Test
  void shouldCutTheSignatureOffTokens() {
    String token = "h".repeat(40) + "." + "p".repeat(120) + "." + "signature";
    assertThat(ClientLog.shortened(token)).hasSize(131).doesNotContain("signature");
    assertThat(ClientLog.shortened("ann")).isEqualTo("ann");
  }

  @Test
  void shouldLogNothingByDefault() {
    logger.setLevel(Level.WARN);
    try (World world = new World()) {
      connectAndDisconnect(world, "c");
    }
    assertThat(lines.list).isEmpty();
  }
}
