package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What operators do with {@code bin/standalone.sh}, and its exit codes. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTest {
  private static final Pattern PID = Pattern.compile("running: pid (\\d+)");
  private static final int NOT_RUNNING = 3;

  private Path home;
  @TempDir Path folder;
  private int mqtt;
  private int http;
  private Script node;

  @BeforeAll
  void install(@TempDir Path installed) throws IOException {
    home = Installation.in(installed);
  }

  @BeforeEach
  void prepare() {
    mqtt = FreePorts.one();
    http = FreePorts.one();
    node = Script.forNode(home, folder.resolve("one"), mqtt, http);
  }

  @AfterEach
  void stopAll() {
    node.call("stop");
  }

  private SharedBroker.Port port() {
    return new SharedBroker.Port(mqtt);
  }

  private static long pid(Script.Result started) {
    Matcher matcher = PID.matcher(started.output());
    assertThat(matcher.find()).as(started.output()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  private static void assertDone(Script.Result result) {
    assertThat(result.exitCode()).as(result.output()).isZero();
  }

  @Test
  void shouldStartStopAndReportItsStatus() {
    assertThat(node.call("status").exitCode()).isEqualTo(NOT_RUNNING);
    Script.Result started = node.call("start");
    assertDone(started);
    assertThat(started.output()).contains("tcp://127.0.0.1:" + mqtt, "127.0.0.1:" + http);
    Mqtt5Session client = new Mqtt5Session(port(), "told");
    client.connect(); // at once: start has returned because clients can connect
    assertThat(node.call("start").output()).contains("already running: pid " + pid(started));
    Script.Result status = node.call("status");
    assertDone(status);
    assertThat(status.output()).contains("pid " + pid(started), "ready", ":" + mqtt);
    assertThat(Scrape.get(http, "/livez").status()).isEqualTo(200);
    assertThat(Scrape.get(http, "/readyz").status()).isEqualTo(200);

    assertDone(node.call("stop"));
    assertThat(client.disconnectCause())
        .isInstanceOfSatisfying(
            Mqtt5DisconnectException.class,
            told ->
                assertThat(told.getMqttMessage().getReasonCode())
                    .isEqualTo(Mqtt5DisconnectReasonCode.SERVER_SHUTTING_DOWN));
    assertThat(node.call("status").exitCode()).isEqualTo(NOT_RUNNING);
    assertDone(node.call("stop"));
    assertThat(node.log()).contains("FjordMQ stopped").doesNotContain("\tat ", "ERROR");
    assertThat(
            node.log().lines().filter(line -> line.contains("WARN") && !line.contains("ulimit -n")))
        .singleElement()
        .asString()
        .contains("No authentication is configured", "securityConfig.passwordFile");
  }

  @Test
  void shouldRunTwoIndependentNodesOnOneMachine() {
    int otherMqtt = FreePorts.one();
    Script other = Script.forNode(home, folder.resolve("two"), otherMqtt, FreePorts.one());
    try (Mqtt5Session here = new Mqtt5Session(port(), "same-name");
        Mqtt5Session there = new Mqtt5Session(new SharedBroker.Port(otherMqtt), "same-name")) {
      long first = pid(node.call("start"));
      assertThat(pid(other.call("start"))).isNotEqualTo(first);
      here.connect();
      there.connect();
      here.subscribe("a", MqttQos.AT_LEAST_ONCE);
      there.subscribe("a", MqttQos.AT_LEAST_ONCE);
      there.publish("a", MqttQos.AT_LEAST_ONCE, "from there");
      here.publish("a", MqttQos.AT_LEAST_ONCE, "from here");
      assertThat(here.nextText()).isEqualTo("from here");
      assertThat(there.nextText()).isEqualTo("from there");
      assertDone(node.call("stop"));
      assertDone(other.call("status"));
      there.publish("a", MqttQos.AT_LEAST_ONCE, "still here");
      assertThat(there.nextText()).isEqualTo("still here");
    } finally {
      assertDone(other.call("stop"));
    }
  }

  @Test
  void shouldKeepPersistentStateAcrossARestart() {
    long first = pid(node.call("start"));
    try (Mqtt5Session away = new Mqtt5Session(port(), "away")) {
      away.connect(connect -> connect.sessionExpiryInterval(3_600));
      away.subscribe("kept/#", MqttQos.EXACTLY_ONCE);
      away.disconnect();
    }
    try (Mqtt5Session publisher = new Mqtt5Session(port(), "publisher")) {
      publisher.connect();
      publisher.publish("kept/1", MqttQos.AT_LEAST_ONCE, "one");
      publisher.publish("kept/2", MqttQos.EXACTLY_ONCE, "two", publish -> publish.retain(true));
    }
    Script.Result restarted = node.call("restart");
    assertDone(restarted);
    assertThat(pid(restarted)).isNotEqualTo(first);
    try (Mqtt5Session back = new Mqtt5Session(port(), "away");
        Mqtt5Session late = new Mqtt5Session(port(), "late")) {
      assertThat(
              back.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(3_600))
                  .isSessionPresent())
          .isTrue();
      assertThat(back.nextText()).isEqualTo("one");
      assertThat(back.nextText()).isEqualTo("two");
      late.connect();
      late.subscribe("kept/+", MqttQos.AT_LEAST_ONCE);
      assertThat(late.nextText()).isEqualTo("two");
    }
  }

  @Test
  void shouldRestartAfterTheProcessWasKilled() {
    long first = pid(node.call("start"));
    ProcessHandle process = ProcessHandle.of(first).orElseThrow();
    process.destroyForcibly();
    Await.until("the end of the process", 30, () -> !process.isAlive());
    assertThat(node.call("status").exitCode()).isEqualTo(NOT_RUNNING);
    Script.Result again = node.call("start");
    assertDone(again);
    assertThat(pid(again)).isNotEqualTo(first);
    new Bystander(port()).close();
    assertDone(node.call("stop"));
    assertThat(node.log()).doesNotContain("\tat ", "ERROR");
  }

  @Test
  void shouldRunInTheForegroundUntilItIsStopped() throws Exception {
    Path output = folder.resolve("run.out");
    Process process = node.launch("run", output);
    try {
      Await.until("being ready", 60, () -> read(output).contains("FjordMQ is ready"));
      new Bystander(port()).close();
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(read(output)).contains("FjordMQ stopped").doesNotContain("\tat ");
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void shouldReportStartFailuresAndUsageErrors() throws IOException {
    Files.writeString(node.configuration(), "bootstrap: maybe\n");
    Script.Result wrong = node.call("start");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.output()).contains("bootstrap", "maybe").doesNotContain("\tat ");
    assertThat(node.call("status").exitCode()).isEqualTo(NOT_RUNNING);
    assertThat(node.call("dance").exitCode()).isEqualTo(2);
    Files.delete(node.configuration());
    Script.Result missing = node.call("start");
    assertThat(missing.exitCode()).isEqualTo(2);
    assertThat(missing.output()).contains(node.configuration().toString());
    Files.writeString(node.configuration(), "");
  }
}
