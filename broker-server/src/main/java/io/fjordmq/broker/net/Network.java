package io.fjordmq.broker.net;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A block of addresses that share their first bits; one address is a block, too. */
final class Network {
  private final byte[] address;
  private final int prefix;

  private Network(byte[] address, int prefix) {
    this.address = address;
    this.prefix = prefix;
  }

  /**
   * Reads {@code 10.0.0.0/8}, {@code 192.0.2.7} or {@code fd00::/8}. Names are not looked up.
   *
   * @throws IllegalArgumentException if it is none; the message begins with the key it stands at
   */
  static Network parse(String text) {
    int slash = text.indexOf('/');
    byte @Nullable [] bytes =
        NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
    String bits = slash < 0 ? "" : text.substring(slash + 1);
    if (bytes == null || (slash >= 0 && !bits.matches("[0-9]{1,3}"))) {
      throw notOne(text);
    }
    int prefix = bits.isEmpty() ? bytes.length * 8 : Integer.parseInt(bits);
    if (prefix > bytes.length * 8) {
      throw notOne(text);
    }
    return new Network(bytes, prefix);
  }

  private static IllegalArgumentException notOne(String text) {
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
