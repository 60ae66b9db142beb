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
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
    /** The connection ends with its CONNECT. */
    IGNORE,
    /** SUBACK 0x80. */
    DENY,
    /** The connection ends with its SUBSCRIBE. */
    HANG_UP,
    /** Gets nothing of what it has subscribed to. */
    STARVE,
    /** Gets every message twice. */
    REPEAT,
    /** Gets its second message before its first. */
    SWAP,
    /** Gets every message two seconds later. */
    DELAY
  }

  /** How long a delayed message is kept. */
  public static final int DELAY_MILLIS = 2_000;

  private static final int CONNECT = 1;
  private static final int SUBSCRIBE = 8;

  private final Function<String, Mood> moods;
  private final ServerSocket server;
  private final Map<String, List<Session>> subscribers = new ConcurrentHashMap<>();
  private final Map<String, Session> persistent = new ConcurrentHashMap<>();
  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
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
        client.leave();
      }
    } catch (IOException gone) {
      // and so is the client
    }
  }

  /** Clients that have a persistent session, there or not. */
  public Set<String> persistent() {
    return Set.copyOf(persistent.keySet());
  }

  private void discard(Session session) {
    subscribers.values().forEach(all -> all.remove(session));
  }

  @Override
  public void close() throws IOException {
    later.shutdownNow();
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** What outlives a connection, if it is persistent; else it ends with it. */
  private static final class Session {
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private @Nullable Client client;

    /** What the connection of now was sent last: if that is lost, the client may not have it. */
    private byte @Nullable [] last;

    Session(Client client) {
      this.client = client;
    }

    synchronized void come(Client back) {
      if (client != null) {
        keepLast();
      }
      client = back;
      while (!waiting.isEmpty()) {
        deliver(back, waiting.remove());
      }
    }

    synchronized void leave(Client gone) {
      if (client == gone) {
        client = null;
        if (!gone.saidFarewell) {
          keepLast();
        }
      }
    }

    private void keepLast() {
      if (last != null) {
        waiting.addFirst(last);
        last = null;
      }
    }

    private void deliver(Client present, byte[] message) {
      last = message;
      present.deliver(message);
    }

    synchronized void deliver(byte[] message) {
      Client present = client;
      if (present == null) {
        waiting.add(message);
      } else {
        deliver(present, message);
      }
    }
  }

  private final class Client {
    private static final int BEFORE_CLIENT_ID = 10;
    private static final int FLAGS = 7;
    private static final int CLEAN = 2;

    private final DataInputStream in;
    private final OutputStream out;
    private Mood mood = Mood.SERVE;
    private Session session = new Session(this);
    private byte @Nullable [] first;
    private boolean swapped;
    private volatile boolean saidFarewell;

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
              case MqttPacketWriter.PUBLISH -> publish(first >> 1 & 3, body);
              default -> first >> 4 != MqttPacketWriter.DISCONNECT;
            };
        saidFarewell = first >> 4 == MqttPacketWriter.DISCONNECT;
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
      boolean clean = (body.get(FLAGS) & CLEAN) != 0;
      String id = text(body);
      mood = moods.apply(id.substring(id.lastIndexOf('-') + 1));
      if (mood == Mood.REFUSE) {
        write(0x20, 2, 0, 3);
        return false;
      }
      if (mood == Mood.IGNORE) {
        return false;
      }
      Session before = clean ? persistent.remove(id) : persistent.putIfAbsent(id, session);
      if (before != null && clean) {
        discard(before);
      }
      write(0x20, 2, 0, 0); // whoever has it finds its session there, or gone
      if (before != null && !clean) {
        session = before;
        session.come(this);
      }
      return true;
    }

    void leave() {
      session.leave(this);
      if (!persistent.containsValue(session)) {
        discard(session);
      }
    }

    private boolean subscribe(ByteBuffer body) throws IOException {
      int high = body.get();
      int low = body.get();
      String filter = text(body);
      if (mood == Mood.HANG_UP) {
        return false;
      }
      if (mood != Mood.DENY && mood != Mood.STARVE) {
        subscribers.computeIfAbsent(filter, none -> new CopyOnWriteArrayList<>()).add(session);
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
      for (Session subscriber : subscribers.getOrDefault(topic, List.of())) {
        subscriber.deliver(message.array());
      }
      if (qos > 0) {
        write(0x40, 2, high, low);
      }
      return true;
    }

    /** One at a time. */
    private void deliver(byte[] message) {
      if (mood == Mood.DELAY) {
        later.schedule(() -> send(message), DELAY_MILLIS, TimeUnit.MILLISECONDS);
      } else if (mood == Mood.SWAP && !swapped && first == null) {
        first = message;
      } else {
        send(message);
        byte[] kept = first;
        if (mood == Mood.REPEAT) {
          send(message);
        } else if (kept != null) {
          send(kept);
          first = null;
          swapped = true;
        }
      }
    }

    private void send(byte[] message) {
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
