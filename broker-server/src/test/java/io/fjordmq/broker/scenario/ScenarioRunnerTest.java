package io.fjordmq.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: an invalid scenario fails and reports where. */
class ScenarioRunnerTest {
  private static final String CONNECTED = "connect c\n----\nCONNACK c present=0 ...\n\n";

  private static void run(String text) {
    for (Scenario scenario : ScenarioFile.parse("it.txt", text)) {
      scenario.versions().forEach(version -> ScenarioRun.run(scenario, version));
    }
  }

  private static void assertFails(String text, String... words) {
    assertThatThrownBy(() -> run(text))
        .isInstanceOf(ScenarioException.class)
        .message()
        .contains(words);
  }

  @Test
  void shouldPassWhenTheBrokerSendsTheExpectedPackets() {
    run(
        """
        # a comment
        scenario ping
        versions 3 4 5
        setting maxKeepAliveSeconds=0
        connect c
        connect d v=4
        ----
        CONNACK c present=0 ...
        CONNACK d present=0

        ping c
        ----
        PINGRESP c

        subscribe c id=7 filter=a qos=1 filter="b c" qos=0
        ----
        SUBACK c id=7 codes=01,00

        disconnect c
        ----
        CLOSED c
        """);
  }

  @Test
  @DisplayName("a failed expectation reports file, line, expected and actual packets")
  void shouldFailAtAWrongPacket() {
    assertFails(
        "scenario s\n\n" + CONNECTED + "ping c\n----\nPUBACK c id=1\n",
        "it.txt:9:",
        "expected\n    PUBACK c id=1",
        "seen\n    PINGRESP c");
  }

  @Test
  void shouldFailAtAWrongValue() {
    assertFails("scenario s\n\nconnect c\n----\nCONNACK c present=1 ...\n", "it.txt:5:");
  }

  @Test
  void shouldFailAtAMissingPacket() {
    assertFails(
        "scenario s\n\n" + CONNECTED + "ping c\n----\nPINGRESP c\nPINGRESP c\n", "it.txt:10:");
  }

  @Test
  void shouldFailAtAnUnexpectedPacket() {
    assertFails("scenario s\n\n" + CONNECTED + "ping c\n----\nnothing\n", "it.txt:9:", "PINGRESP");
  }

  @Test
  void shouldFailWhenTheConnectionIsClosedUnexpectedly() {
    assertFails(
        "scenario s\n\n" + CONNECTED + "send c f0\nsend c 00\n----\nDISCONNECT c code=82 ...\n",
        "it.txt:10:",
        "CLOSED c");
  }

  @Test
  void shouldFailWhenAnotherClientReceivesAPacket() {
    assertFails(
        "scenario s\n\nconnect c\nconnect d\n----\nCONNACK c present=0 ...\n",
        "it.txt:6:",
        "CONNACK d present=0");
  }

  @Test
  void shouldFailAtAdditionalWordsWithoutAnEllipsis() {
    assertFails("scenario s\n\nconnect c\n----\nCONNACK c present=0\n", "it.txt:5:", "receive");
  }

  @Test
  void shouldDetectMalformedPackets() {
    assertThat(PacketText.of("c", 5, "4003000199ff"))
        .startsWith("MALFORMED c")
        .contains("remaining");
    assertThat(PacketText.of("c", 4, "4003000199")).startsWith("MALFORMED c").contains("reason");
    assertThat(PacketText.of("c", 5, "2003020000")).startsWith("MALFORMED c").contains("flags");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("an invalid statement reports file and line")
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "unknown verb,           'pong c\n----\nPINGRESP c',                      it.txt:7:",
        "unknown client,         'ping d\n----\nPINGRESP c',                      it.txt:7:",
        "no client,              'ping\n----\nPINGRESP c',                        it.txt:7:",
        "expected of nobody,     'ping c\n----\nPINGRESP d',                      it.txt:9:",
        "unknown option,         'publish c topic=a color=red\n----\nnothing',   it.txt:7:",
        "option of others,       'ping c id=1\n----\nPINGRESP c',                 it.txt:7:",
        "missing option,         'puback c\n----\nnothing',                       it.txt:7:",
        "no number,              'puback c id=x\n----\nnothing',                  it.txt:7:",
        "no code,                'puback c id=1 code=xyz\n----\nnothing',         it.txt:7:",
        "not name=value,         'publish c topic\n----\nnothing',                it.txt:7:",
        "open quote,             'publish c topic=\"a\n----\nnothing',            it.txt:7:",
        "no answer,              'ping c',                                        it.txt:7:",
        "answer left out,        'ping c\n----\n',                                it.txt:9:",
        "blank before the answer,'ping c\n\n----\nPINGRESP c',                    it.txt:7:",
        "answers twice,          'ping c\n----\nPINGRESP c\n----\nPINGRESP c',    it.txt:10:",
        "nothing and something,  'ping c\n----\nnothing\nPINGRESP c',             it.txt:9:",
        "setting too late,       'setting maxInflight=1\n----\nnothing',          it.txt:7:",
        "versions too late,      'versions 5\n----\nnothing',                     it.txt:7:",
        "wait without a unit,    'wait 5\n----\nnothing',                         it.txt:7:",
        "still connected,        'connect c\n----\nCONNACK c ...',                it.txt:7:",
        "stores still held,      'hold\n----\nnothing',                           it.txt:1:"
      })
  void shouldFailAtAnInvalidStatement(String what, String step, String where) {
    assertFails("scenario s\n\n" + CONNECTED + step + "\n", where);
  }

  @Test
  void shouldFailAtAnUnknownSetting() {
    assertFails("scenario s\nsetting color=red\n" + CONNECTED, "it.txt:2:");
  }

  @Test
  void shouldFailAtUnknownVersions() {
    assertFails("scenario s\nversions 6\n" + CONNECTED, "it.txt:2:");
  }

  @Test
  void shouldFailWhenAScenarioChecksNothing() {
    List.of("", "# only a comment\n").forEach(text -> assertFails(text, "it.txt:1:"));
    assertFails("scenario one\n\nscenario two\n" + CONNECTED, "it.txt:1:");
    assertFails("connect c\n----\nCONNACK c ...\n", "it.txt:1:");
  }
}
