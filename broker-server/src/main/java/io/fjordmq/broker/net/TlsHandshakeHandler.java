package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.internal.tcnative.SSL;
import java.nio.channels.ClosedChannelException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Handles the result of a TLS handshake: updates the peer, or closes the connection with a reason.
 */
final class TlsHandshakeHandler extends ChannelInboundHandlerAdapter {
  private final SslHandler tls;
  private final @Nullable List<X509Certificate> trusted;
  private final ListenerObserver observer;
  private final long startedAtMillis = System.currentTimeMillis();
  private boolean established;

  /**
   * @param trusted the certificates that those of clients must chain to; null if nobody needs the
   *     issuers of a client's certificate
   */
  TlsHandshakeHandler(
      SslHandler tls, @Nullable List<X509Certificate> trusted, ListenerObserver observer) {
    this.tls = tls;
    this.trusted = trusted;
    this.observer = observer;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completion) {
      if (completion.isSuccess()) {
        onSuccess(ctx);
      } else {
        onFailure(ctx, completion.cause());
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  private void onSuccess(ChannelHandlerContext ctx) {
    established = true;
    ctx.pipeline().remove(QueuedHandshakeHandler.class);
    SSLSession session = tls.engine().getSession();
    List<X509Certificate> sent = certificatesOf(session);
    X509Certificate certificate = sent.isEmpty() ? null : sent.get(0);
    List<X509Certificate> issuers = null;
    try {
      if (certificate != null) {
        // The certificate of a resumed session was verified when the session was established.
        certificate.checkValidity();
        issuers = trusted == null ? null : CertificatePath.issuers(sent, trusted);
      }
    } catch (CertificateException e) {
      refuse(ctx, CloseReason.TLS_FAILED, "client certificate: " + e.getMessage());
      return;
    }
    Peer.of(ctx.channel()).withTls(certificate, issuers).attachTo(ctx.channel());
    observer.onHandshake(isResumed(session));
  }

  /**
   * Whether the session was resumed. With BoringSSL, a session has the creation time of its ticket,
   * which does not show whether it was resumed, so this method asks the library directly.
   */
  private boolean isResumed(SSLSession session) {
    return tls.engine() instanceof ReferenceCountedOpenSslEngine engine
        ? SSL.isSessionReused(engine.sslPointer())
        : session.getCreationTime() < startedAtMillis;
  }

  /** Returns the client's certificate, followed by further ones; empty if it sent none. */
  private static List<X509Certificate> certificatesOf(SSLSession session) {
    List<X509Certificate> sent = new ArrayList<>();
    try {
      for (Certificate one : session.getPeerCertificates()) {
        if (one instanceof X509Certificate certificate) {
          sent.add(certificate);
        }
      }
      return sent;
    } catch (SSLPeerUnverifiedException e) {
      return sent;
    }
  }

  private static void onFailure(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      refuse(ctx, CloseReason.TLS_FAILED, "the client did not send a TLS record");
    } else if (cause instanceof SslHandshakeTimeoutException) {
      refuse(ctx, CloseReason.TLS_FAILED, "the TLS handshake timed out");
    } else if (!(cause instanceof ClosedChannelException)) {
      refuse(ctx, CloseReason.TLS_FAILED, String.valueOf(cause.getMessage()));
    }
  }

  private static void refuse(ChannelHandlerContext ctx, CloseReason reason, String detail) {
    ctx.fireChannelRead(new ProtocolViolation(reason, detail));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Throwable fault =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (!(fault instanceof SSLException)) {
      ctx.fireExceptionCaught(cause);
    } else if (established) {
      ctx.fireExceptionCaught(fault); // caused by the client or the network; the connection is lost
    }
    // Otherwise the handshake has failed and the failure has already been reported.
  }
}
