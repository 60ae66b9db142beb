package io.fjordmq.broker.net;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** The library that implements TLS. */
enum TlsLibrary {
  /** Needs less CPU than the JDK but is not available on every system. */
  BORINGSSL(SslProvider.OPENSSL_REFCNT),
  JDK(SslProvider.JDK);

  private final SslProvider provider;

  TlsLibrary(SslProvider provider) {
    this.provider = provider;
  }

  /** Returns BoringSSL if it is available, otherwise the JDK. */
  static TlsLibrary best() {
    return OpenSsl.isAvailable() ? BORINGSSL : JDK;
  }

  /** Netty's constant for this library. */
  SslProvider provider() {
    return provider;
  }

  /** The name and version of the library, for the log. */
  String displayName() {
    return this == BORINGSSL
        ? OpenSsl.versionString()
        : "JDK (BoringSSL is not available on this system)";
  }
}
