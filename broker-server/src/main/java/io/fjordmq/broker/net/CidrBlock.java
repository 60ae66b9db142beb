package io.fjordmq.broker.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A CIDR block of IP addresses. A single address also counts as a block. */
final class CidrBlock {
  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");

  /**
   * Text that may be an IPv6 address. {@link InetAddress} parses text that contains a colon as an
   * address and never queries DNS for it.
   */
  private static final Pattern MAYBE_IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  private final byte[] address;
  private final int prefix;

  private CidrBlock(byte[] address, int prefix) {
    this.address = address;
    this.prefix = prefix;
  }

  /**
   * Parses a block such as {@code 10.0.0.0/8}, {@code 192.0.2.7} or {@code fd00::/8}. Host names
   * are not resolved.
   *
   * @throws IllegalArgumentException if the text is not a valid block; the message begins with the
   *     configuration key
   */
  static CidrBlock parse(String text) {
    int slash = text.indexOf('/');
    byte @Nullable [] bytes = bytesOf(slash < 0 ? text : text.substring(0, slash));
    String bits = slash < 0 ? "" : text.substring(slash + 1);
    if (bytes == null || (slash >= 0 && !bits.matches("[0-9]{1,3}"))) {
      throw invalid(text);
    }
    int prefix = bits.isEmpty() ? bytes.length * 8 : Integer.parseInt(bits);
    if (prefix > bytes.length * 8) {
      throw invalid(text);
    }
    return new CidrBlock(bytes, prefix);
  }

  /**
   * Parses an address; returns null if it is invalid. Does not use Netty's parser, because Netty's
   * classes would initialize logging before the configuration, which is just being read, has set
   * the log directory.
   */
  private static byte @Nullable [] bytesOf(String text) {
    if (!IPV4.matcher(text).matches() && !MAYBE_IPV6.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  private static IllegalArgumentException invalid(String text) {
    return new IllegalArgumentException(
        "proxyTrusted must be addresses or networks such as 192.0.2.7 or 10.0.0.0/8, not '"
            + text
            + "'");
  }

  boolean contains(InetAddress other) {
    byte[] bytes = other.getAddress();
    if (bytes.length != address.length) {
      return false;
    }
    int whole = prefix / 8;
    if (!Arrays.equals(bytes, 0, whole, address, 0, whole)) {
      return false;
    }
    int mask = 0xFF00 >> prefix % 8 & 0xFF;
    return mask == 0 || (bytes[whole] & mask) == (address[whole] & mask);
  }
}
