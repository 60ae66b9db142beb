package io.fjordmq.broker.fuzz;

import io.fjordmq.broker.testing.MemoryBroker;
import java.util.HexFormat;
import java.util.List;

/**
 * Any bytes, split into any pieces, on a connection that is new or has just sent a CONNECT of any
 * version. Whatever happens to the connection, all its resources are released.
 *
 * <p>Input: one byte for the beginning, one byte for the size of the pieces (0: all at once), then
 * the bytes to send.
 */
public final class DecoderFuzz {
  private static final HexFormat HEX = HexFormat.of();

  /** CONNECT of no version, 3.1, 3.1.1 and 5.0, each of a persistent session. */
  private static final List<byte[]> BEGINNINGS =
      List.of(
          new byte[0],
          HEX.parseHex("100f00064d514973647003000000000161"),
          HEX.parseHex("100d00044d51545404000000000161"),
          HEX.parseHex("101300044d515454050000000511000000ff000161"));

  private DecoderFuzz() {}

  /** The fuzzer's entry. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    try (FuzzedBroker fuzzed = new FuzzedBroker()) {
      MemoryBroker.MemoryConnection line = begin(fuzzed.broker(), choices.below(BEGINNINGS.size()));
      int piece = choices.octet();
      while (choices.hasMore() && line.isOpen()) {
        line.send(choices.bytes(piece == 0 ? input.length : piece));
      }
    }
  }

  /** A connection that has sent this beginning. */
  static MemoryBroker.MemoryConnection begin(MemoryBroker broker, int beginning) {
    MemoryBroker.MemoryConnection line = broker.open();
    if (beginning == BEGINNINGS.size() - 1) {
      line.decodeMqtt5();
    }
    return beginning == 0 ? line : line.send(BEGINNINGS.get(beginning));
  }
}
