package io.fjordmq.broker.bans;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A block of IP addresses. IPv4-mapped IPv6 addresses are treated as IPv4 addresses.
 *
 * @param bytes the first address, 4 or 16 bytes, one in each character; bits after the prefix are 0
 * @param prefix the number of bits that all addresses have in common
 */
public record IpNetwork(String bytes, int prefix) {
  private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F:.]{2,45}");
  private static final Pattern PREFIX = Pattern.compile("[0-9]{1,3}");
  private static final int IPV4_BYTES = 4;
  private static final int MAPPED_BITS = 96;

  /** Parses an address; returns null if it is invalid. Host names are not resolved. */
  public static @Nullable IpNetwork parseAddress(String text) {
    InetAddress address = address(text);
    return address == null ? null : of(address.getAddress(), 8 * address.getAddress().length);
  }

  /** Parses a network such as {@code 10.0.0.0/8}; returns null if it is invalid. */
  public static @Nullable IpNetwork parseNetwork(String text) {
    int slash = text.indexOf('/');
    InetAddress address = slash < 0 ? null : address(text.substring(0, slash));
    String bits = text.substring(slash + 1);
    if (address == null || !PREFIX.matcher(bits).matches()) {
      return null;
    }
    byte[] bytes = address.getAddress();
    boolean mapped = bytes.length == IPV4_BYTES && text.indexOf(':') >= 0;
    int prefix = Integer.parseInt(bits) - (mapped ? MAPPED_BITS : 0);
    return prefix < 0 || prefix > 8 * bytes.length ? null : of(bytes, prefix);
  }

  private static @Nullable InetAddress address(String text) {
    byte[] bytes =
        ADDRESS.matcher(text).matches() ? NetUtil.createByteArrayFromIpAddressString(text) : null;
    try {
      return bytes == null ? null : InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are always an address", e);
    }
  }

  /** Returns the network with this prefix that contains the address. */
  static IpNetwork of(byte[] address, int prefix) {
    byte[] masked = address.clone();
    for (int i = 0; i < masked.length; i++) {
      int bits = Math.min(8, Math.max(0, prefix - 8 * i));
      masked[i] &= (byte) (0xFF00 >> bits);
    }
    return new IpNetwork(new String(masked, StandardCharsets.ISO_8859_1), prefix);
  }

  /** Whether the network contains the address. */
  public boolean contains(InetAddress other) {
    byte[] address = other.getAddress();
    return address.length == bytes.length() && equals(of(address, prefix));
  }

  /** The first address in canonical notation. */
  public String address() {
    try {
      return NetUtil.toAddressString(
          InetAddress.getByAddress(bytes.getBytes(StandardCharsets.ISO_8859_1)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are always an address", e);
    }
  }

  /** The network in CIDR notation. */
  @Override
  public String toString() {
    return address() + "/" + prefix;
  }
}
