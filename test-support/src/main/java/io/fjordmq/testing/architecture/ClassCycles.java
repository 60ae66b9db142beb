package io.fjordmq.testing.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Reports sets of classes that all depend on each other and have too many members. A nested class
 * counts as a part of its outermost class. Tarjan's algorithm, without recursion.
 */
final class ClassCycles extends ArchCondition<JavaClass> {
  private final int mostMembers;
  private final Predicate<Set<String>> isExpected;
  private final Map<String, Set<String>> uses = new TreeMap<>();

  /**
   * @param isExpected sets that may be larger, by the full names of their classes
   */
  ClassCycles(int mostMembers, Predicate<Set<String>> isExpected) {
    super("be in no cycle of more than %d classes", mostMembers);
    this.mostMembers = mostMembers;
    this.isExpected = isExpected;
  }

  @Override
  public void init(Collection<JavaClass> all) {
    uses.clear();
  }

  @Override
  public void check(JavaClass checked, ConditionEvents events) {
    Set<String> used = uses.computeIfAbsent(outermost(checked), name -> new TreeSet<>());
    for (Dependency dependency : checked.getDirectDependenciesFromSelf()) {
      JavaClass target = dependency.getTargetClass().getBaseComponentType();
      if (target.getPackageName().startsWith("io.fjordmq.")) {
        used.add(outermost(target));
      }
    }
  }

  @Override
  public void finish(ConditionEvents events) {
    for (Set<String> cycle : cycles()) {
      if (cycle.size() > mostMembers && !isExpected.test(cycle)) {
        events.add(SimpleConditionEvent.violated(cycle, cycle.size() + " classes: " + cycle));
      }
    }
  }

  private static String outermost(JavaClass of) {
    JavaClass found = of;
    while (found.getEnclosingClass().isPresent()) {
      found = found.getEnclosingClass().get();
    }
    return found.getName();
  }

  private static final class Visit {
    private final String node;
    private final Deque<String> open;

    private Visit(String node, Collection<String> uses) {
      this.node = node;
      this.open = new ArrayDeque<>(uses);
    }
  }

  private List<Set<String>> cycles() {
    List<Set<String>> found = new ArrayList<>();
    Map<String, Integer> index = new HashMap<>();
    Map<String, Integer> lowest = new HashMap<>();
    Deque<String> stack = new ArrayDeque<>();
    for (String start : uses.keySet()) {
      if (index.containsKey(start)) {
        continue;
      }
      Deque<Visit> path = new ArrayDeque<>();
      enter(start, index, lowest, stack, path);
      while (!path.isEmpty()) {
        Visit now = path.peek();
        String next = now.open.poll();
        if (next != null && !index.containsKey(next)) {
          enter(next, index, lowest, stack, path);
        } else if (next != null && stack.contains(next)) {
          lowest.merge(now.node, index.getOrDefault(next, 0), Math::min);
        } else if (next == null) {
          path.pop();
          if (!path.isEmpty()) {
            lowest.merge(path.peek().node, lowest.getOrDefault(now.node, 0), Math::min);
          }
          if (Objects.equals(lowest.get(now.node), index.get(now.node))) {
            found.add(members(now.node, stack));
          }
        }
      }
    }
    return found;
  }

  private void enter(
      String node,
      Map<String, Integer> index,
      Map<String, Integer> lowest,
      Deque<String> stack,
      Deque<Visit> path) {
    int number = index.size();
    index.put(node, number);
    lowest.put(node, number);
    stack.push(node);
    path.push(new Visit(node, uses.getOrDefault(node, Set.of())));
  }

  private static Set<String> members(String last, Deque<String> stack) {
    Set<String> cycle = new TreeSet<>();
    String member;
    do {
      member = stack.pop();
      cycle.add(member);
    } while (!member.equals(last));
    return cycle;
  }
}
