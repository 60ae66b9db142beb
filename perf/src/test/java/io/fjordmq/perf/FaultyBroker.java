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
 * A minimal MQTT 3.1.1 broker for tests of the load tool: QoS 0 and 1, filters without wildcards, a
 * thread for each client. The test decides how the broker handles each client.
 */
public final class FaultyBroker implements AutoCloseable {
  /** How the broker handles a client. */
  public enum ClientHandling {
    SERVE,
    /** CONNACK 0x03. */
    REFUSE,
    /** Closes the connection on CONNECT. */
    CLOSE_ON_CONNECT,
    /** SUBACK 0x80. */
    REFUSE_SUBSCRIBE,
    /** Closes the connection on SUBSCRIBE. */
    CLOSE_ON_SUBSCRIBE,
    /** Accepts subscriptions but delivers nothing. */
    DELIVER_NOTHING,
    /** Delivers every message twice. */
    DUPLICATE,
    /** Delivers the second message before the first. */
    REORDER,
    /** Delivers every message two seconds late. */
    DELAY
  }

  /** Delay of a delivery, in milliseconds. */
  public static final int DELAY_MILLIS = 2_000;

  private static final int CONNECT = 1;
  private static final int SUBSCRIBE = 8;

  private final Function<String, ClientHandling> handlings;
  private final ServerSocket server;
  private final Map<String, List<Session>> subscribers = new ConcurrentHashMap<>();
  private final Map<String, Session> persistentSessions = new ConcurrentHashMap<>();
  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param handlings called for each CONNECT with the last part of the client identifier: s0, p12
   */
  public FaultyBroker(Function<String, ClientHandling> handlings) throws IOException {
    this.handlings = handlings;
    this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    startThread(this::accept);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  private static void startThread(Runnable task) {
    Thread thread = new Thread(task, "faulty broker");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        startThread(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the broker was closed
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Client client = new Client(socket);
      try {
        client.serve();
      } finally {
        client.onDisconnect();
      }
    } catch (IOException disconnected) {
      // the client has disconnected
    }
  }

  /** Identifiers of clients with a persistent session, connected or not. */
  public Set<String> persistentClientIds() {
    return Set.copyOf(persistentSessions.keySet());
  }

  private void discard(Session session) {
    subscribers.values().forEach(sessions -> sessions.remove(session));
  }

  @Override
  public void close() throws IOException {
    scheduler.shutdownNow();
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** A session; it outlives the connection if it is persistent. */
  private static final class Session {
    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private @Nullable Client client;

    /** Last message sent on the current connection; resent if the connection is lost. */
    private byte @Nullable [] lastSent;

    Session(Client client) {
      this.client = client;
    }

    synchronized void attach(Client connected) {
      if (client != null) {
        requeueLast();
      }
      client = connected;
      while (!queue.isEmpty()) {
        deliver(connected, queue.remove());
      }
    }

    synchronized void detach(Client disconnected) {
      if (client == disconnected) {
        client = null;
        if (!disconnected.sentDisconnect) {
          requeueLast();
        }
      }
    }

    private void requeueLast() {
      if (lastSent != null) {
        queue.addFirst(lastSent);
        lastSent = null;
      }
    }

    private void deliver(Client receiver, byte[] message) {
      lastSent = message;
      receiver.deliver(message);
    }

    synchronized void deliver(byte[] message) {
      Client receiver = client;
      if (receiver == null) {
        queue.add(message);
      } else {
        deliver(receiver, message);
      }
    }
  }

  private final class Client {
    private static final int BEFORE_CLIENT_ID = 10;
    private static final int FLAGS = 7;
    private static final int CLEAN = 2;

    private final DataInputStream in;
    private final OutputStream out;
    private ClientHandling handling = ClientHandling.SERVE;
    private Session session = new Session(this);
    private byte @Nullable [] heldBack;
    private boolean swapped;
    private volatile boolean sentDisconnect;

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
        sentDisconnect = first >> 4 == MqttPacketWriter.DISCONNECT;
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
      handling = handlings.apply(id.substring(id.lastIndexOf('-') + 1));
      if (handling == ClientHandling.REFUSE) {
        write(0x20, 2, 0, 3);
        return false;
      }
      if (handling == ClientHandling.CLOSE_ON_CONNECT) {
        return false;
      }
      Session before =
          clean ? persistentSessions.remove(id) : persistentSessions.putIfAbsent(id, session);
      if (before != null && clean) {
        discard(before);
      }
      write(0x20, 2, 0, 0); // the client's old session is resumed or discarded by now
      if (before != null && !clean) {
        session = before;
        session.attach(this);
      }
      return true;
    }

    void onDisconnect() {
      session.detach(this);
      if (!persistentSessions.containsValue(session)) {
        discard(session);
      }
    }

    private boolean subscribe(ByteBuffer body) throws IOException {
      int high = body.get();
      int low = body.get();
      String filter = text(body);
      if (handling == ClientHandling.CLOSE_ON_SUBSCRIBE) {
        return false;
      }
      if (handling != ClientHandling.REFUSE_SUBSCRIBE
          && handling != ClientHandling.DELIVER_NOTHING) {
        subscribers.computeIfAbsent(filter, none -> new CopyOnWriteArrayList<>()).add(session);
      }
      write(0x90, 3, high, low, handling == ClientHandling.REFUSE_SUBSCRIBE ? 0x80 : body.get());
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

    /** Called for one message at a time. */
    private void deliver(byte[] message) {
      if (handling == ClientHandling.DELAY) {
        scheduler.schedule(() -> send(message), DELAY_MILLIS, TimeUnit.MILLISECONDS);
      } else if (handling == ClientHandling.REORDER && !swapped && heldBack == null) {
        heldBack = message;
      } else {
        send(message);
        byte[] kept = heldBack;
        if (handling == ClientHandling.DUPLICATE) {
          send(message);
        } else if (kept != null) {
          send(kept);
          heldBack = null;
          swapped = true;
        }
      }
    }

    private void send(byte[] message) {
      try {
        // The remaining length always takes two bytes, even if one would suffice.
        int low = message.length & 0x7F | 0x80;
        byte[] packet = ByteBuffer.allocate(3 + message.length).array();
        ByteBuffer.wrap(packet)
            .put(new byte[] {0x30, (byte) low, (byte) (message.length >> 7)})
            .put(message);
        write(packet);
      } catch (IOException disconnected) {
        // the client has disconnected; nothing to do
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
