package dev.weir.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The summary of skipped tests at the end of {@code mvn verify}, from reports as Surefire writes them. */
class SkippedTestsTest {
    private static final String REPORT = """
            <testsuite>
              <testcase name="a" classname="dev.weir.os.FirstTest" time="0">
                <skipped message="Assumption failed: only &quot;root&quot; may&#10;do it"><![CDATA[x]]></skipped>
              </testcase>
              <testcase name="b" classname="dev.weir.os.FirstTest">
                <skipped message="Assumption failed: only &quot;root&quot; may do it" type="x"/>
              </testcase>
              <testcase name="c" classname="dev.weir.os.FirstTest" time="0"/>
              <testcase name="d" classname="dev.weir.os.SecondTest">
                <skipped message="x is not installed (Debian: apt-get install y)" type="x"/>
              </testcase>
              <testcase name="e" classname="dev.weir.os.ThirdTest" time="0.1">
                <skipped type="org.opentest4j.TestAbortedException"><![CDATA[org.opentest4j.Aborted: no disk: none
            \tat org.junit.jupiter.api.Assumptions.abort(Assumptions.java:316)
            ]]></skipped>
              </testcase>
            </testsuite>
            """;

    @Test
    void listsReasonsOfThisRun(@TempDir Path root) throws Exception {
        Files.createDirectories(root.resolve("build"));
        Path script = Files.copy(Path.of("../build/skipped-tests"), root.resolve("build/skipped-tests"),
                StandardCopyOption.COPY_ATTRIBUTES);
        Path reports = Files.createDirectories(root.resolve("core/os/target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-dev.weir.os.FirstTest.xml"), REPORT);
        assertThat(run(script, "2026-01-01T00:00:00Z")).isEqualTo("""

                4 tests were skipped:
                    2  only "root" may do it
                       FirstTest
                    1  x is not installed (Debian: apt-get install y)
                       SecondTest
                    1  no disk: none
                       ThirdTest
                """);
        assertThat(run(script, "2200-01-01T00:00:00Z")).as("reports of an earlier run").isEmpty();
    }

    private static String run(Path script, String start) throws Exception {
        Process process = new ProcessBuilder(script.toString(), start).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
