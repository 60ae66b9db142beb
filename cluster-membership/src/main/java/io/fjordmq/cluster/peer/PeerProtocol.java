package io.fjordmq.cluster.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.ProtocolVersions;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.peer.proto.Accepted;
import io.fjordmq.cluster.peer.proto.ClientMessage;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import io.fjordmq.cluster.peer.proto.NodeAddressMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import io.fjordmq.cluster.peer.proto.Ping;
import io.fjordmq.cluster.peer.proto.Pong;
import io.fjordmq.cluster.peer.proto.Request;
import io.fjordmq.cluster.peer.proto.Response;
import io.fjordmq.cluster.peer.proto.ServerMessage;
import io.fjordmq.cluster.peer.proto.StartMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts between the types of this package and the messages of {@code peer.proto}. */
final class PeerProtocol {
  /**
   * The highest version is incremented when nodes of the previous version would misinterpret
   * messages.
   */
  static final ProtocolVersions VERSIONS = new ProtocolVersions(2, 2);

  private static final String NAME = "the peer protocol";

  /** The maximum size of a message without its body: numbers and a service name. */
  static final int OVERHEAD_BYTES = 512;

  static final ClientMessage PING =
      ClientMessage.newBuilder().setPing(Ping.getDefaultInstance()).build();
  static final ServerMessage PONG =
      ServerMessage.newBuilder().setPong(Pong.getDefaultInstance()).build();

  private PeerProtocol() {}

  static ClientMessage opening(String clusterId, NodeId from, NodeId to, StartStamp start) {
    return ClientMessage.newBuilder()
        .setOpening(
            Opening.newBuilder()
                .setProtocol(VERSIONS.highest())
                .setLowestProtocol(VERSIONS.lowest())
                .setStart(encode(start))
                .setCluster(clusterId)
                .setFrom(from.value())
                .setTo(to.value()))
        .build();
  }

  static ServerMessage accepted(int version, StartStamp start) {
    return ServerMessage.newBuilder()
        .setAccepted(Accepted.newBuilder().setProtocol(version).setStart(encode(start)))
        .build();
  }

  static ClientMessage request(long call, String service, byte[] body) {
    return ClientMessage.newBuilder()
        .setRequest(Request.newBuilder().setCall(call).setService(service).setBody(wrap(body)))
        .build();
  }

  static ServerMessage response(long call, byte[] body) {
    return ServerMessage.newBuilder()
        .setResponse(Response.newBuilder().setCall(call).setBody(wrap(body)))
        .build();
  }

  static ServerMessage refusal(long call, String reason) {
    return ServerMessage.newBuilder()
        .setResponse(Response.newBuilder().setCall(call).setRefusal(reason))
        .build();
  }

  /** Does not copy: callers guarantee not to modify the array. */
  private static ByteString wrap(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }

  static HelloMessage encode(Hello hello) {
    HelloMessage.Builder out =
        HelloMessage.newBuilder()
            .setProtocol(VERSIONS.highest())
            .setLowestProtocol(VERSIONS.lowest());
    if (hello.clusterId() != null) {
      out.setCluster(hello.clusterId());
    }
    if (hello.node() != null && hello.address() != null) {
      out.setFrom(encode(hello.node(), hello.address()));
    }
    if (hello.start() != null) {
      out.setStart(encode(hello.start()));
    }
    return out.build();
  }

  /**
   * @throws IllegalArgumentException if the message is invalid or its version is not supported
   */
  static Hello decode(HelloMessage in) {
    requireVersion(in.getLowestProtocol(), in.getProtocol());
    boolean known = in.hasFrom();
    return new Hello(
        in.getCluster().isEmpty() ? null : in.getCluster(),
        known ? new NodeId(in.getFrom().getNode()) : null,
        known ? address(in.getFrom()) : null,
        in.hasStart() ? decode(in.getStart()) : null);
  }

  /**
   * @param version the highest version that both nodes support, because the sender of the hello
   *     rejects a reply in a version that it does not know
   */
  static HelloReplyMessage encode(HelloReply helloReply, int version) {
    HelloReplyMessage.Builder out =
        HelloReplyMessage.newBuilder()
            .setProtocol(version)
            .setCluster(helloReply.clusterId())
            .setStart(encode(helloReply.start()))
            .setEnv(helloReply.env())
            .setSelf(encode(helloReply.node(), helloReply.address()))
            .setWallClockMillis(helloReply.wallClockMillis());
    if (helloReply.level() != SupportedLevels.FIRST) {
      out.setLevel(helloReply.level());
    }
    helloReply.metadataVoters().forEach(voter -> out.addMetadataVoters(voter.value()));
    helloReply.metadataLearners().forEach(learner -> out.addMetadataLearners(learner.value()));
    helloReply.addresses().forEach((node, address) -> out.addAddresses(encode(node, address)));
    if (helloReply.metadataLeader() != null) {
      out.setMetadataLeader(helloReply.metadataLeader().value());
    }
    return out.build();
  }

  /**
   * @throws IllegalArgumentException if the message is invalid or its version is not supported
   */
  static HelloReply decode(HelloReplyMessage in) {
    requireVersion(in.getProtocol(), in.getProtocol());
    Map<NodeId, NodeAddress> addresses = new HashMap<>();
    for (NodeAddressMessage address : in.getAddressesList()) {
      addresses.put(new NodeId(address.getNode()), address(address));
    }
    return new HelloReply(
        in.getCluster(),
        in.getEnv(),
        new NodeId(in.getSelf().getNode()),
        decode(in.getStart()),
        address(in.getSelf()),
        nodes(in.getMetadataVotersList()),
        nodes(in.getMetadataLearnersList()),
        node(in.getMetadataLeader()),
        addresses,
        in.getWallClockMillis(),
        in.getLevel() == 0 ? SupportedLevels.FIRST : in.getLevel());
  }

  /**
   * Returns the version to use with a node that supports this range.
   *
   * @param lowest 0 if the node did not send it
   * @throws IllegalArgumentException if there is no common version; the message names both ranges
   */
  static int requireVersion(int lowest, int highest) {
    return commonVersion(VERSIONS, lowest, highest);
  }

  static int commonVersion(ProtocolVersions ours, int lowest, int highest) {
    int from = lowest == 0 || lowest > highest ? highest : lowest;
    return ours.negotiate(new ProtocolVersions(from, highest), NAME);
  }

  static StartStamp decode(StartMessage in) {
    return new StartStamp(in.getCount(), in.getToken());
  }

  private static StartMessage encode(StartStamp start) {
    return StartMessage.newBuilder().setCount(start.count()).setToken(start.token()).build();
  }

  private static NodeAddressMessage encode(NodeId node, NodeAddress address) {
    return NodeAddressMessage.newBuilder()
        .setNode(node.value())
        .setHost(address.host())
        .setPort(address.port())
        .build();
  }

  private static NodeAddress address(NodeAddressMessage in) {
    return new NodeAddress(in.getHost(), in.getPort());
  }

  private static java.util.Set<NodeId> nodes(List<String> names) {
    return names.stream().map(NodeId::new).collect(Collectors.toUnmodifiableSet());
  }

  private static @Nullable NodeId node(String name) {
    return name.isEmpty() ? null : new NodeId(name);
  }
}
