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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS context of a listener. When the TLS files change, new connections use the new contents.
 * If the new contents cannot be used, a warning is logged and the previous contents stay in use.
 *
 * <p>A new context has new ticket keys, so that no client can resume a session that was established
 * with other certificates.
 */
final class ServerTls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

  /** A warning is logged if the certificate expires within this period. */
  private static final Duration EXPIRY_WARNING_PERIOD = Duration.ofDays(21);

  private final TlsFiles.Source source;
  private final TlsLibrary library;
  private final InstantSource clock;
  private TlsFiles files;
  private SslContext context;
  private @Nullable Map<String, byte[]> rejectedContent;
  private @Nullable String reportedFailure;

  private ServerTls(
      TlsFiles.Source source,
      TlsLibrary library,
      InstantSource clock,
      TlsFiles files,
      SslContext context) {
    this.source = source;
    this.library = library;
    this.clock = clock;
    this.files = files;
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
      TlsFiles files = source.parse(source.readContent(), clock.instant());
      ServerTls tls =
          new ServerTls(source, library, clock, files, buildContext(source, library, files));
      tls.warnIfExpiresSoon();
      return tls;
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
      if (!settings.ciphers().isEmpty()) {
        builder.ciphers(settings.ciphers());
      }
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
    return source.listener();
  }

  /** Creates the handler for a new connection. */
  synchronized SslHandler newHandler(ByteBufAllocator allocator) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(source.settings().handshakeTimeout().toMillis());
    handler.setCloseNotifyFlushTimeout(1, TimeUnit.SECONDS);
    return handler;
  }

  /** The time at which the certificate in use expires. */
  synchronized Instant expiresAt() {
    return files.expiresAt();
  }

  /** The interval between calls to {@link #reloadIfChanged}. */
  Duration reloadInterval() {
    return source.settings().reloadInterval();
  }

  /**
   * Loads files that have changed. Reads from the disk; must not be called concurrently.
   *
   * @return true if changed files were loaded, false if they cannot be used, null if nothing has
   *     changed
   */
  @Nullable Boolean reloadIfChanged() {
    @Nullable Map<String, byte[]> content = null;
    try {
      content = source.readContent();
      if (files.hasSameContent(content)) {
        rejectedContent = null;
        reportedFailure = null;
        return null;
      }
      if (rejectedContent != null && TlsFiles.contentEquals(rejectedContent, content)) {
        return null;
      }
      TlsFiles changed = source.parse(content, clock.instant());
      replace(changed, buildContext(source, library, changed));
      rejectedContent = null;
      reportedFailure = null;
      LOG.info(
          "Loaded a new certificate listener={} expires={}",
          source.listener(),
          changed.expiresAt());
      warnIfExpiresSoon();
      return true;
    } catch (TlsFiles.UnusableException e) {
      rejectedContent = e.isTransient() ? null : content;
      String fault = String.valueOf(e.getMessage());
      if (rejectedContent == null && fault.equals(reportedFailure)) {
        return null;
      }
      reportedFailure = fault;
      LOG.warn(
          "Cannot reload a certificate; fix the files; the previous certificate and key stay in"
              + " use: {}",
          fault);
      return false;
    }
  }

  private synchronized void replace(TlsFiles newFiles, SslContext newContext) {
    ReferenceCountUtil.release(context); // connections that use it hold their own reference
    files = newFiles;
    context = newContext;
  }

  private void warnIfExpiresSoon() {
    if (files.expiresAt().isBefore(clock.instant().plus(EXPIRY_WARNING_PERIOD))) {
      LOG.warn(
          "Certificate expires soon; replace it listener={} file={} expires={}",
          source.listener(),
          source.settings().certFile(),
          files.expiresAt());
    }
  }

  @Override
  public synchronized void close() {
    ReferenceCountUtil.release(context);
  }
}
