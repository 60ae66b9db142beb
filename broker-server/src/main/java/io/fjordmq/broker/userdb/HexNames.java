package io.fjordmq.broker.userdb;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Writes names into keys of the metadata, which have fewer characters than names. */
final class HexNames {
  private HexNames() {}

  static String encode(String name) {
    return HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }

  static String decode(String hex) {
    return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
  }
}
