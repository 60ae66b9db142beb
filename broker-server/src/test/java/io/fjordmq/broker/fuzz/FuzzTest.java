package io.fjordmq.broker.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.testing.MemoryBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Replays the corpus of the fuzzer and checks that the targets can fail. */
class FuzzTest {
  private static final Path KEPT = Path.of("src/test/fuzz");

  @Test
  void shouldSurviveEveryCorpusInputOfTheDecoder() throws IOException {
    runCorpus("decoder", DecoderFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryCorpusInputOfSessions() throws IOException {
    runCorpus("session", SessionFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveRandomInputs() {
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      byte[] input = new byte[random.nextInt(200)];
      random.nextBytes(input);
      DecoderFuzz.fuzzerTestOneInput(input);
      SessionFuzz.fuzzerTestOneInput(input);
    }
  }

  /** Otherwise the inputs would exercise only refused connections. */
  @Test
  void shouldConnectBeforeTheDecoderInput() {
    for (int beginning = 1; beginning <= 3; beginning++) {
      try (FuzzedBroker fuzzed = new FuzzedBroker()) {
        MemoryBroker.MemoryConnection line = DecoderFuzz.begin(fuzzed.broker(), beginning);
        line.read();
        assertThat(line.send(HexFormat.of().parseHex("c000")).read()).containsExactly("PINGRESP");
      }
    }
  }

  @Test
  void shouldDetectABufferThatIsNotReleased() {
    FuzzedBroker fuzzed = new FuzzedBroker();
    var lost = fuzzed.buffers().buffer(16);
    assertThatThrownBy(fuzzed::close).hasMessageContaining("unreleased buffers: 16");
    lost.release();
  }

  @Test
  void shouldDetectASessionThatDoesNotEnd() {
    FuzzedBroker fuzzed = new FuzzedBroker();
    DecoderFuzz.begin(fuzzed.broker(), 3);
    assertThat(fuzzed.broker().sessions()).isEqualTo(1);
    assertThatThrownBy(fuzzed::requireNoLeftovers).hasMessageContaining("sessions not ended: 1");
    fuzzed.close();
  }

  @Test
  void shouldDetectAnErrorInTheLog() {
    FuzzedBroker fuzzed = new FuzzedBroker();
    LoggerFactory.getLogger("io.fjordmq.planted").error("planted by this test");
    assertThatThrownBy(fuzzed::close).hasMessageContaining("planted");
  }

  @Test
  void shouldDetectAMalformedPacketFromTheBroker() {
    assertThatThrownBy(() -> FuzzedClient.requireReadable(List.of("CONNACK 0", "undecodable: x")))
        .hasMessageContaining("undecodable");
  }

  private static void runCorpus(String target, Consumer<byte[]> run) throws IOException {
    List<byte[]> inputs = KeptInputs.read(KEPT.resolve(target + ".txt"));
    assertThat(inputs).isNotEmpty();
    for (byte[] input : inputs) {
      try {
        run.accept(input);
      } catch (Throwable e) {
        throw new AssertionError("input " + HexFormat.of().formatHex(input), e);
      }
    }
  }
}
