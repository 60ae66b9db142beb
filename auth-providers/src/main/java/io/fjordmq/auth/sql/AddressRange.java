package io.fjordmq.auth.sql;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** An IP address or a network such as {@code 10.0.0.0/8}. */
final class AddressRange {
  private final IpSubnetFilterRule rule;

  private AddressRange(IpSubnetFilterRule rule) {
    this.rule = rule;
  }

  /**
   * Parses an address or a network.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    InetAddress address =
        NetUtil.createInetAddressFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw invalid(text, null);
    }
    int bits = address.getAddress().length * 8;
    try {
      int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
      return new AddressRange(new IpSubnetFilterRule(address, prefix, IpFilterRuleType.ACCEPT));
    } catch (IllegalArgumentException e) {
      throw invalid(text, e);
    }
  }

  private static IllegalArgumentException invalid(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "ipaddress must be an address or a network such as 10.0.0.0/8, not '" + text + "'", cause);
  }

  boolean contains(InetAddress address) {
    return rule.matches(new InetSocketAddress(address, 0));
  }
}
