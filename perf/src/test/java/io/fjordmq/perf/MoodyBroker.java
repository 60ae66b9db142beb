package io.fjordmq.perf;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * As much of a broker of MQTT 3.1.1 as tests of the load tool need: QoS 0 and 1, filters without
 * wildcards, a thread for each client. How it treats a client the test says.
 */
public final class MoodyBroker implements AutoCloseable {
  /** What becomes of a client. */
  public enum Mood {
    SERVE,
    /** CONNACK 0x03. */
    REFUSE,
    /** SUBACK 0x80. */
    DENY,
    /** The connection ends with its SUBSCRIBE. */
    HANG_UP
  }

  private static final int CONNECT = 1;
  private static final int SUBSCRIBE = 8;

  private final Function<String, Mood> moods;
  private final ServerSocket server;
  private final Map<String, List<Client>> subscribers = new ConcurrentHashMap<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param moods asked once for each CONNECT, by the last word of the client identifier: s0, p12
   */
  public MoodyBroker(Function<String, Mood> moods) throws IOException {
    this.moods = moods;
    this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    thread(this::accept);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  private static void thread(Runnable task) {
    Thread thread = new Thread(task, "moody broker");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        thread(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Client client = new Client(socket);
      try {
        client.serve();
      } finally {
        subscribers.values().forEach(all -> all.remove(client));
      }
    } catch (IOException gone) {
      // and so is the client
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private final class Client {
    private static final int BEFORE_CLIENT_ID = 10;

    private final DataInputStream in;
    private final OutputStream out;
    private Mood mood = Mood.SERVE;

    Client(Socket socket) throws IOException {
      this.in = new DataInputStream(socket.getInputStream());
      this.out = socket.getOutputStream();
    }

    void serve() throws IOException {
      boolean more = true;
      while (more) {
        int first = in.readUnsignedByte();
        ByteBuffer body = ByteBuffer.wrap(in.readNBytes(length()));
        more =
            switch (first >> 4) {
              case CONNECT -> connect(body);
              case SUBSCRIBE -> subscribe(body);
              case MqttWire.PUBLISH -> publish(first >> 1 & 3, body);
              default -> first >> 4 != MqttWire.DISCONNECT;
            };
      }
    }

    private int length() throws IOException {
      int length = 0;
      for (int shift = 0; ; shift += 7) {
        int digit = in.readUnsignedByte();
        length |= (digit & 0x7F) << shift;
        if ((digit & 0x80) == 0) {
          return length;
        }
      }
    }

    private boolean connect(ByteBuffer body) throws IOException {
      body.position(BEFORE_CLIENT_ID);
      String id = text(body);
      mood = moods.apply(id.substring(id.lastIndexOf('-') + 1));
      write(0x20, 2, 0, mood == Mood.REFUSE ? 3 : 0);
      return mood != Mood.REFUSE;
    }

    private boolean subscribe(ByteBuffer body) throws IOException {
      int high = body.get();
      int low = body.get();
      String filter = text(body);
      if (mood == Mood.HANG_UP) {
        return false;
      }
      if (mood == Mood.SERVE) {
        subscribers.computeIfAbsent(filter, none -> new CopyOnWriteArrayList<>()).add(this);
      }
      write(0x90, 3, high, low, mood == Mood.DENY ? 0x80 : body.get());
      return true;
    }

    private boolean publish(int qos, ByteBuffer body) throws IOException {
      String topic = text(body);
      int high = qos == 0 ? 0 : body.get();
      int low = qos == 0 ? 0 : body.get();
      ByteBuffer message = ByteBuffer.allocate(2 + topic.length() + body.remaining());
      message.putShort((short) topic.length()).put(topic.getBytes(StandardCharsets.US_ASCII));
      message.put(body);
      for (Client subscriber : subscribers.getOrDefault(topic, List.of())) {
        subscriber.deliver(message.array());
      }
      if (qos > 0) {
        write(0x40, 2, high, low);
      }
      return true;
    }

    private void deliver(byte[] message) {
      try {
        // The length has two digits, also where one would do.
        int low = message.length & 0x7F | 0x80;
        byte[] packet = ByteBuffer.allocate(3 + message.length).array();
        ByteBuffer.wrap(packet)
            .put(new byte[] {0x30, (byte) low, (byte) (message.length >> 7)})
            .put(message);
        write(packet);
      } catch (IOException gone) {
        // nobody waits for it
      }
    }

    private void write(int... values) throws IOException {
      byte[] bytes = new byte[values.length];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) values[i];
      }
      write(bytes);
    }

    private void write(byte[] packet) throws IOException {
      synchronized (out) {
        out.write(packet);
      }
    }

    private static String text(ByteBuffer body) {
      byte[] bytes = new byte[body.getShort()];
      body.get(bytes);
      return new String(bytes, StandardCharsets.US_ASCII);
    }
  }
}
