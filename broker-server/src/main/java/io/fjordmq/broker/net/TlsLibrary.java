package io.fjordmq.broker.net;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** Which library does the work of TLS. */
enum TlsLibrary {
  /** Costs less, where there is a build of it for the system. */
  BORINGSSL(SslProvider.OPENSSL_REFCNT),
  JDK(SslProvider.JDK);

  private final SslProvider provider;

  TlsLibrary(SslProvider provider) {
    this.provider = provider;
  }

  /** The best one that works here. */
  static TlsLibrary best() {
    return OpenSsl.isAvailable() ? BORINGSSL : JDK;
  }

  /** What netty calls it. */
  SslProvider provider() {
    return provider;
  }

  /** Its name and version, for the log. */
  String text() {
    return this == BORINGSSL
        ? OpenSsl.versionString()
        : "the JDK's TLS, because BoringSSL is not there for this system";
  }
}
