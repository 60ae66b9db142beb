package io.fjordmq.broker.rest;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decodes paths and queries of URLs. */
final class UrlDecoder {
  private static final int HEX = 16;
  private static final char FIRST_NON_ASCII = 0x80;

  private UrlDecoder() {}

  /**
   * The decoded segments of a path. A slash that is part of a segment is sent as {@code %2F}.
   *
   * @param path begins with a slash
   * @throws ApiException 400 if the path is not valid
   */
  static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    for (String segment : path.substring(1).split("/", -1)) {
      segments.add(decode(segment, false, "the path"));
    }
    return segments;
  }

  /**
   * The decoded parameters of a query, in their order.
   *
   * @throws ApiException 400 if the query is not valid
   */
  static Map<String, List<String>> parameters(String query) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals), true, "the query");
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true, "the query");
      parameters.computeIfAbsent(name, first -> new ArrayList<>()).add(value);
    }
    return parameters;
  }

  /** Returns whether the text consists of characters that are not encoded. */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' || c == '+' || c >= FIRST_NON_ASCII) {
        return false;
      }
    }
    return true;
  }

  private static String decode(String text, boolean plusIsSpace, String where) {
    if (isPlain(text)) {
      return text;
    }
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer decoded = ByteBuffer.allocate(encoded.length);
    for (int i = 0; i < encoded.length; i++) {
      if (encoded[i] == '%') {
        int high = i + 2 < encoded.length ? Character.digit(encoded[i + 1], HEX) : -1;
        int low = i + 2 < encoded.length ? Character.digit(encoded[i + 2], HEX) : -1;
        if (high < 0 || low < 0) {
          throw ApiException.badRequest(
              where + " has a % that is not followed by two hexadecimal digits");
        }
        decoded.put((byte) (high * HEX + low));
        i += 2;
      } else {
        decoded.put(encoded[i] == '+' && plusIsSpace ? (byte) ' ' : encoded[i]);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
    } catch (CharacterCodingException e) {
      throw ApiException.badRequest(where + " is not valid UTF-8");
    }
  }
}
