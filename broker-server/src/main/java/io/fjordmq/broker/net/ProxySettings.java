package io.fjordmq.broker.net;

import java.util.List;

/**
 * Whether clients come through proxies that tell the clients' addresses (PROXY protocol, version 1
 * or 2).
 *
 * @param proxyProtocol true: every connection begins with the header of a proxy
 * @param proxyTrusted addresses of the proxies, or networks such as 10.0.0.0/8; others are refused
 */
public record ProxySettings(boolean proxyProtocol, List<String> proxyTrusted) {
  public static final ProxySettings NONE = new ProxySettings(false, List.of());

  /**
   * @throws IllegalArgumentException if a value cannot be used; the message begins with its name
   */
  public ProxySettings {
    proxyTrusted = List.copyOf(proxyTrusted);
    if (proxyProtocol && proxyTrusted.isEmpty()) {
      throw new IllegalArgumentException(
          "proxyProtocol needs the addresses of the proxies in proxyTrusted:"
              + " anyone else could claim any address");
    }
    proxyTrusted.forEach(CidrBlock::parse);
  }

  /** The proxies. */
  List<CidrBlock> networks() {
    return proxyTrusted.stream().map(CidrBlock::parse).toList();
  }
}
