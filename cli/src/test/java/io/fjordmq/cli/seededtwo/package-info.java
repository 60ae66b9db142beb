/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.cli.seededtwo;

import org.jspecify.annotations.NullMarked;
