package io.fjordmq.broker.net;

import java.util.List;

/**
 * Settings for clients that connect through proxies that forward the client address (PROXY
 * protocol, version 1 or 2).
 *
 * @param proxyProtocol whether every connection begins with a PROXY protocol header
 * @param proxyTrusted addresses of the proxies, or networks such as 10.0.0.0/8; connections from
 *     other addresses are refused
 */
public record ProxySettings(boolean proxyProtocol, List<String> proxyTrusted) {
  public static final ProxySettings NONE = new ProxySettings(false, List.of());

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public ProxySettings {
    proxyTrusted = List.copyOf(proxyTrusted);
    if (proxyProtocol && proxyTrusted.isEmpty()) {
      throw new IllegalArgumentException(
          "proxyProtocol requires the addresses of the proxies in proxyTrusted; otherwise any "
              + "client could spoof its address");
    }
    proxyTrusted.forEach(CidrBlock::parse);
  }

  /** The networks of the trusted proxies. */
  List<CidrBlock> networks() {
    return proxyTrusted.stream().map(CidrBlock::parse).toList();
  }
}
