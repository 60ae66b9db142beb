package io.fjordmq.broker.house;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Counts the lines of method bodies. */
final class MethodLengths extends TreeScanner<@Nullable Void, @Nullable Void> {
  private final CompilationUnitTree unit;
  private final SourcePositions positions;
  private final Map<String, Integer> lengths;
  private String owner = "";

  private MethodLengths(
      CompilationUnitTree unit, SourcePositions positions, Map<String, Integer> lengths) {
    this.unit = unit;
    this.positions = positions;
    this.lengths = lengths;
  }

  /** The longest body, in lines, of the methods of a name, by {@code Class#method}. */
  static Map<String, Integer> of(List<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, Integer> lengths = new TreeMap<>();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new MethodLengths(unit, positions, lengths).scan(unit, null);
      }
    }
    return lengths;
  }

  @Override
  public @Nullable Void visitClass(ClassTree node, @Nullable Void nothing) {
    String outer = owner;
    owner = node.getSimpleName().toString();
    super.visitClass(node, nothing);
    owner = outer;
    return null;
  }

  @Override
  public @Nullable Void visitMethod(MethodTree node, @Nullable Void nothing) {
    if (node.getBody() != null) {
      LineMap map = unit.getLineMap();
      long first = map.getLineNumber(positions.getStartPosition(unit, node.getBody()));
      long last = map.getLineNumber(positions.getEndPosition(unit, node.getBody()));
      lengths.merge(owner + "#" + node.getName(), (int) (last - first + 1), Math::max);
    }
    return super.visitMethod(node, nothing);
  }
}
