package dev.weir.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Keeps the arrows between the modules that docs/architecture.md draws. */
class ArchitectureTest {
    private static JavaClasses weir;

    @BeforeAll
    static void read() {
        weir = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.weir");
    }

    @Test
    void everyModuleIsSeen() {
        for (final String module : new String[]{"model", "wire", "hash", "net", "config", "load", "lua", "storage",
            "scan",
            "http", "cli"}) {
            assertThat(weir.stream().filter(c -> c.getPackageName().startsWith("dev.weir." + module)))
                    .as("classes of dev.weir." + module)
                    .isNotEmpty();
        }
    }

    @Test
    void arrowsBetweenModules() {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("model").definedBy("dev.weir.model..")
                .layer("wire").definedBy("dev.weir.wire..")
                .layer("hash").definedBy("dev.weir.hash..")
                .layer("storage").definedBy("dev.weir.storage..")
                .layer("net").definedBy("dev.weir.net..")
                .layer("config").definedBy("dev.weir.config..")
                .layer("load").definedBy("dev.weir.load..")
                .layer("lua").definedBy("dev.weir.lua..")
                .layer("scan").definedBy("dev.weir.scan..")
                .layer("http").definedBy("dev.weir.http..")
                .layer("cli").definedBy("dev.weir.cli..")
                // Built after this module and on nobody's class path: its own test sees it.
                .optionalLayer("bench").definedBy("dev.weir.bench..")
                .whereLayer("bench").mayNotBeAccessedByAnyLayer()
                .whereLayer("cli").mayOnlyBeAccessedByLayers("bench")
                .whereLayer("http").mayOnlyBeAccessedByLayers("cli", "bench")
                .whereLayer("scan").mayOnlyBeAccessedByLayers("http", "cli", "bench")
                .whereLayer("storage").mayOnlyBeAccessedByLayers("http", "cli", "bench")
                .whereLayer("hash").mayOnlyBeAccessedByLayers("scan", "http", "cli", "bench")
                .whereLayer("lua").mayOnlyBeAccessedByLayers("storage", "scan", "cli", "bench")
                .whereLayer("load").mayOnlyBeAccessedByLayers("cli", "bench")
                .whereLayer("net").mayOnlyBeAccessedByLayers("load", "storage", "scan", "http", "cli", "bench")
                .whereLayer("config").mayOnlyBeAccessedByLayers("storage", "scan", "http", "cli", "bench")
                .whereLayer("wire").mayOnlyBeAccessedByLayers("load", "scan", "http", "storage", "cli", "bench")
                .whereLayer("model").mayNotAccessAnyLayer()
                .check(weir);
    }

    @Test
    void leavesDoNoInputOutputAndNoLogging() {
        noClasses().that().resideInAnyPackage("dev.weir.wire..", "dev.weir.hash..")
                .should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.nio.channels..", "java.sql..", "org.slf4j..")
                .andShould().dependOnClassesThat().areAssignableTo(Thread.class)
                .check(weir);
    }

    @Test
    void noPackageIsABagOfThings() {
        noClasses().should().resideInAnyPackage("..util..", "..utils..", "..common..", "..misc..").check(weir);
    }

    @Test
    void packagesFormNoCycles() {
        slices().matching("dev.weir.(**)").should().beFreeOfCycles().check(weir);
    }

    @Test
    void everyPackageRefusesNull() {
        classes().that().haveSimpleName("package-info")
                .should().beAnnotatedWith(org.jspecify.annotations.NullMarked.class)
                .check(weir);
    }
}
