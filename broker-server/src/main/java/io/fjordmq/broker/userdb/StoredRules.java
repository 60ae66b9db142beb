package io.fjordmq.broker.userdb;

import io.fjordmq.api.Qos;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.userdb.RuleOwner.Kind;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules as stored in the metadata under {@code mqtt-rules/<kind>/<tenant in hex>/<name in hex>},
 * where the kind is {@code c}, {@code u}, {@code g} or {@code a}:
 *
 * <pre>
 * u8 version = 1 | u8 kind: 1 client, 2 user, 3 group, 4 all | block tenant | block name
 * varint count, for each rule: u8 flags: 1 allow, 2 QoS 0, 4 QoS 1, 8 QoS 2, 16 retained,
 *     32 not retained | u8 access: 1 read, 2 write, 3 both | block topic
 * </pre>
 */
final class StoredRules {
  private static final int VERSION = 1;
  private static final int ALLOW = 1;
  private static final int QOS_0 = 2;
  private static final int RETAINED = 16;
  private static final int NOT_RETAINED = 32;
  private static final int ALL_FLAGS = 63;

  /** The fewest bytes of a rule: flags, access and the length of the topic. */
  private static final int MIN_RULE_BYTES = 3;

  private StoredRules() {}

  static byte[] encode(RuleSet set) {
    RuleOwner owner = set.owner();
    ByteWriter out = new ByteWriter(128).writeByte(VERSION).writeByte(code(owner.kind()));
    out.writeString(owner.tenant()).writeString(owner.name()).writeVarint(set.rules().size());
    for (TopicRule rule : set.rules()) {
      out.writeByte(flags(rule)).writeByte(code(rule.access())).writeString(rule.topic());
    }
    return out.toByteArray();
  }

  private static int flags(TopicRule rule) {
    int flags = rule.allow() ? ALLOW : 0;
    for (Qos qos : rule.qos()) {
      flags |= QOS_0 << qos.level();
    }
    Boolean retain = rule.retain();
    return retain == null ? flags : flags | (retain ? RETAINED : NOT_RETAINED);
  }

  /**
   * @throws MalformedBytesException if the bytes are not rules, or were written by a newer version
   */
  static RuleSet decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a record of rules of MQTT clients", VERSION, in.readByte());
    Kind kind = kind(in.readByte());
    RuleOwner owner = new RuleOwner(kind, in.readString(), in.readString());
    List<TopicRule> rules = new ArrayList<>();
    for (int left = in.readCount(MIN_RULE_BYTES); left > 0; left--) {
      rules.add(rule(in));
    }
    in.requireEnd();
    return new RuleSet(owner, rules);
  }

  private static TopicRule rule(ByteReader in) {
    int flags = in.readByte();
    if (flags > ALL_FLAGS) {
      throw NewerFormatException.unknownKind("flags of a rule", flags);
    }
    Set<Qos> levels = EnumSet.noneOf(Qos.class);
    for (Qos qos : Qos.values()) {
      if ((flags & QOS_0 << qos.level()) != 0) {
        levels.add(qos);
      }
    }
    @Nullable Boolean retain = null;
    if ((flags & (RETAINED | NOT_RETAINED)) != 0) {
      retain = (flags & RETAINED) != 0;
    }
    return new TopicRule(
        (flags & ALLOW) != 0, access(in.readByte()), in.readString(), levels, retain);
  }

  private static int code(Kind kind) {
    return switch (kind) {
      case CLIENT -> 1;
      case USER -> 2;
      case GROUP -> 3;
      case ALL -> 4;
    };
  }

  private static Kind kind(int code) {
    return switch (code) {
      case 1 -> Kind.CLIENT;
      case 2 -> Kind.USER;
      case 3 -> Kind.GROUP;
      case 4 -> Kind.ALL;
      default -> throw NewerFormatException.unknownKind("owner of rules", code);
    };
  }

  private static int code(Access access) {
    return switch (access) {
      case READ -> 1;
      case WRITE -> 2;
      case READ_WRITE -> 3;
    };
  }

  private static Access access(int code) {
    return switch (code) {
      case 1 -> Access.READ;
      case 2 -> Access.WRITE;
      case 3 -> Access.READ_WRITE;
      default -> throw NewerFormatException.unknownKind("access of a rule", code);
    };
  }
}
