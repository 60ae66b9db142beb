package io.fjordmq.auth.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;

/** Creates TLS sockets with PEM files, which it reads for each socket. Thread-safe. */
public final class PemSocketFactory extends SSLSocketFactory {
  private final PemFiles files;

  public PemSocketFactory(PemFiles files) {
    this.files = files;
  }

  /** Reads the files. */
  private SSLSocketFactory current() throws IOException {
    try {
      return files.read().context().getSocketFactory();
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public Socket createSocket() throws IOException {
    return current().createSocket();
  }

  @Override
  public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
      throws IOException {
    return current().createSocket(socket, host, port, autoClose);
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return current().createSocket(host, port);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return current().createSocket(host, port, localHost, localPort);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return current().createSocket(host, port);
  }

  @Override
  public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return current().createSocket(address, port, localAddress, localPort);
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return files.read().context().getSocketFactory().getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return files.read().context().getSocketFactory().getSupportedCipherSuites();
  }
}
