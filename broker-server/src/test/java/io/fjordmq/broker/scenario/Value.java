package io.fjordmq.broker.scenario;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text and bytes of a scenario: literal text, {@code hex:6162} for unprintable bytes, {@code
 * x*65535} for what is too long to be.
 */
final class Value {
  private static final String HEX = "hex:";
  private static final Pattern REPEATED = Pattern.compile("(.)\\*(\\d{2,})");
  private static final int LONG = 32;

  private Value() {}

  static byte[] bytes(String value) {
    Matcher repeated = REPEATED.matcher(value);
    if (value.startsWith(HEX)) {
      return HexFormat.of().parseHex(value.substring(HEX.length()));
    } else if (repeated.matches()) {
      String all = repeated.group(1).repeat(Integer.parseInt(repeated.group(2)));
      return all.getBytes(StandardCharsets.UTF_8);
    }
    return value.getBytes(StandardCharsets.UTF_8);
  }

  static String format(byte[] bytes) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return HEX + HexFormat.of().formatHex(bytes);
    }
    if (!text.chars().allMatch(c -> c >= ' ' && c != '"' && c < 0x7F)) {
      return HEX + HexFormat.of().formatHex(bytes);
    }
    if (text.indexOf(' ') >= 0) {
      return '"' + text + '"';
    }
    boolean one = text.length() >= LONG && text.chars().distinct().count() == 1;
    return one ? text.charAt(0) + "*" + text.length() : text;
  }
}
