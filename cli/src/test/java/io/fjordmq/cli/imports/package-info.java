@NullMarked
package io.fjordmq.cli.imports;

import org.jspecify.annotations.NullMarked;
