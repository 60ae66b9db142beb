package io.fjordmq.broker.net;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.util.List;

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

  /**
   * Returns the library for these listeners. Without TLS it is the JDK, because unpacking and
   * loading BoringSSL would delay the start of the node and take memory.
   */
  static TlsLibrary bestFor(List<ListenerSettings> listeners) {
    return listeners.stream().anyMatch(listener -> listener.tls() != null) ? best() : JDK;
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
