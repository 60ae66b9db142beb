package io.fjordmq.broker.http;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Serves MQTT clients that connect to the HTTP port with WebSocket. Thread-safe. */
public interface MqttClients {
  /** Serves no clients. */
  MqttClients NONE =
      (user, address, encrypted, client) -> {
        throw new IllegalStateException("this server has no MQTT clients");
      };

  /**
   * Begins to serve a client that has not sent anything yet.
   *
   * @param user the authenticated caller of the API, on whose behalf the client connects
   * @param address the address of the client
   * @param encrypted whether the connection uses TLS
   * @param client receives the output for the client
   */
  Connection open(MqttUser user, InetSocketAddress address, boolean encrypted, Client client);

  /** The broker's end of a connection. Can be called on any thread; does not block. */
  interface Connection {
    /**
     * Passes bytes from the client, in order. Must be called once after each {@link Client#demand}.
     *
     * @param bytes not used after the call
     */
    void receive(ByteBuffer bytes);

    /** The client has closed the connection. */
    void close();
  }

  /** The client's end of a connection. Can be called on any thread; must not block. */
  interface Client {
    /** The broker is ready for more bytes. */
    void demand();

    /**
     * Sends bytes to the client. The next call follows after these bytes have been sent.
     *
     * @param sent called on any thread once the bytes have been sent; not called if they cannot be
     */
    void send(ByteBuffer bytes, Runnable sent);

    /** The broker has closed the connection. */
    void close();
  }
}
