package dev.weir.cli;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The program of docs/integrate/embedding.md. The tests of the packages also run it, and its build file. */
class EmbeddingPageTest {
    @Test
    void itsProgramCompiles(@TempDir Path folder) throws Exception {
        Matcher block = Pattern.compile("(?ms)^```java\\n(.*?)^```$")
                .matcher(Files.readString(Path.of("..", "docs", "integrate", "embedding.md")));
        assertThat(block.find()).isTrue();
        Path program = Files.writeString(folder.resolve("Known.java"), block.group(1));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertThat(compiler.getTask(messages, files, null, List.of("-proc:none", "-d", folder.toString(), "-cp",
                    System.getProperty("java.class.path")), null, files.getJavaFileObjects(program)).call())
                    .as(messages.toString()).isTrue();
        }
    }
}
