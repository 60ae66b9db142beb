package io.fjordmq.broker.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS context of a listener. When the TLS files change, new connections use the new contents.
 * If the new contents cannot be used, a warning is logged and the previous contents stay in use.
 *
 * <p>A new context has new ticket keys, so that no client can resume a session that was established
 * with other certificates.
 */
final class ServerTls implements AutoCloseable {
  /**
   * The cipher suites of Mozilla's intermediate profile, version 5.7, in its order: only ephemeral
   * keys and authenticated encryption. Those with finite-field Diffie-Hellman are left out, because
   * BoringSSL does not implement them.
   */
  private static final List<String> INTERMEDIATE_CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private final TlsFilesReload files;
  private final TlsLibrary library;
  private SslContext context;

  private ServerTls(TlsFilesReload files, TlsLibrary library, SslContext context) {
    this.files = files;
    this.library = library;
    this.context = context;
  }

  /**
   * Reads the files.
   *
   * @param listener the key of the listener, for messages
   * @throws IllegalStateException if a file cannot be used; the message names the file and its key
   */
  static ServerTls open(
      String listener, TlsSettings settings, TlsLibrary library, InstantSource clock) {
    TlsFiles.Source source = new TlsFiles.Source(listener, settings);
    try {
      TlsFilesReload files = TlsFilesReload.open(source, clock);
      return new ServerTls(files, library, buildContext(source, library, files.files()));
    } catch (TlsFiles.UnusableException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static SslContext buildContext(TlsFiles.Source source, TlsLibrary library, TlsFiles files)
      throws TlsFiles.UnusableException {
    TlsSettings settings = source.settings();
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(files.key(), files.chain().toArray(new X509Certificate[0]))
              .sslProvider(library.provider())
              .protocols(settings.protocols())
              .clientAuth(clientAuth(settings))
              .sessionCacheSize(settings.sessionCacheSize())
              .sessionTimeout(settings.sessionTimeout().toSeconds());
      builder.ciphers(settings.ciphers().isEmpty() ? INTERMEDIATE_CIPHERS : settings.ciphers());
      if (!files.trusted().isEmpty()) {
        builder.trustManager(files.trusted());
      }
      SslContext context = builder.build();
      if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
        sessions.setTicketKeys(); // BoringSSL generates and rotates them
      }
      return context;
    } catch (SSLException | IllegalArgumentException e) {
      throw new TlsFiles.UnusableException(
          source.listener() + ": cannot set up TLS: " + e.getMessage(), e);
    }
  }

  private static ClientAuth clientAuth(TlsSettings settings) {
    return switch (settings.clientAuth()) {
      case NONE -> ClientAuth.NONE;
      case OPTIONAL -> ClientAuth.OPTIONAL;
      case REQUIRED -> ClientAuth.REQUIRE;
    };
  }

  /** The configuration key of the listener. */
  String listener() {
    return files.source().listener();
  }

  /** Creates the handler for a new connection. */
  synchronized SslHandler newHandler(ByteBufAllocator allocator) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(files.source().settings().handshakeTimeout().toMillis());
    handler.setCloseNotifyFlushTimeout(1, TimeUnit.SECONDS);
    return handler;
  }

  /** The certificates that those of clients must chain to. */
  List<X509Certificate> trusted() {
    return files.files().trusted();
  }

  /** The time at which the certificate in use expires. */
  Instant expiresAt() {
    return files.files().expiresAt();
  }

  CertificateStatus status() {
    return files.status();
  }

  /** The interval between calls to {@link #reloadIfChanged}. */
  Duration reloadInterval() {
    return files.source().settings().reloadInterval();
  }

  /**
   * Loads files that have changed. Reads from the disk; must not be called concurrently.
   *
   * @return true if changed files were loaded, false if they cannot be used, null if nothing has
   *     changed
   */
  @Nullable Boolean reloadIfChanged() {
    return files.reloadIfChanged(
        changed -> replace(buildContext(files.source(), library, changed)));
  }

  private synchronized void replace(SslContext newContext) {
    ReferenceCountUtil.release(context); // connections that use it hold their own reference
    context = newContext;
  }

  @Override
  public synchronized void close() {
    ReferenceCountUtil.release(context);
  }
}
