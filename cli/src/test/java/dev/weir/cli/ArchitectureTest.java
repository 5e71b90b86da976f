package dev.weir.cli;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.net.IDN;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.util.concurrent.Executor;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.os.HostName;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Checks the dependencies between modules and packages (docs/architecture.md#source-folders). */
class ArchitectureTest {
    /** The modules that only convert between bytes and values. */
    private static final String[] LOW = {"dev.weir.model..", "dev.weir.wire..", "dev.weir.hash..", "dev.weir.config.."};

    /** The packages of storage/engine. */
    private static final String[] ENGINE = {"dev.weir.storage", "dev.weir.storage.engine..",
        "dev.weir.storage.index..", "dev.weir.storage.log..", "dev.weir.storage.checkpoint..",
        "dev.weir.storage.queue..", "dev.weir.storage.brake..", "dev.weir.storage.state..",
        "dev.weir.storage.view.."};

    private static JavaClasses weir;

    @BeforeAll
    static void read() {
        weir = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.weir");
    }

    @Test
    void importsEveryModule() {
        for (String module : new String[]{"model", "os", "wire", "hash", "net", "config", "load", "lua", "storage",
            "scan", "http", "milter", "trap", "cli"}) {
            assertThat(weir.stream().filter(c -> c.getPackageName().startsWith("dev.weir." + module)))
                    .as("classes of dev.weir." + module)
                    .isNotEmpty();
        }
    }

    @Test
    void modulesUseOnlyLowerModules() {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("model").definedBy("dev.weir.model..")
                .layer("os").definedBy("dev.weir.os..")
                .layer("wire").definedBy("dev.weir.wire..")
                .layer("hash").definedBy("dev.weir.hash..")
                .layer("storage").definedBy("dev.weir.storage..")
                .layer("net").definedBy("dev.weir.net..")
                .layer("config").definedBy("dev.weir.config..")
                .layer("load").definedBy("dev.weir.load..")
                .layer("lua").definedBy("dev.weir.lua..")
                .layer("scan").definedBy("dev.weir.scan..")
                .layer("http").definedBy("dev.weir.http..")
                .layer("milter").definedBy("dev.weir.milter..")
                .layer("trap").definedBy("dev.weir.trap..")
                .layer("cli").definedBy("dev.weir.cli..")
                // The build compiles bench after this module. A test of bench checks it.
                .optionalLayer("bench").definedBy("dev.weir.bench..")
                .whereLayer("bench").mayNotBeAccessedByAnyLayer()
                .whereLayer("cli").mayOnlyBeAccessedByLayers("bench")
                .whereLayer("milter").mayOnlyBeAccessedByLayers("cli", "bench")
                .whereLayer("trap").mayOnlyBeAccessedByLayers("cli", "bench")
                .whereLayer("http").mayOnlyBeAccessedByLayers("milter", "trap", "cli", "bench")
                .whereLayer("scan").mayOnlyBeAccessedByLayers("http", "milter", "trap", "cli", "bench")
                .whereLayer("storage").mayOnlyBeAccessedByLayers("http", "cli", "bench")
                .whereLayer("hash").mayOnlyBeAccessedByLayers("scan", "http", "trap", "cli", "bench")
                .whereLayer("lua").mayOnlyBeAccessedByLayers("storage", "scan", "cli", "bench")
                .whereLayer("load").mayOnlyBeAccessedByLayers("cli", "bench")
                .whereLayer("net").mayOnlyBeAccessedByLayers("load", "storage", "scan", "http", "cli", "bench")
                .whereLayer("config")
                .mayOnlyBeAccessedByLayers("storage", "scan", "http", "milter", "trap", "cli", "bench")
                .whereLayer("wire").mayOnlyBeAccessedByLayers("load", "scan", "http", "storage", "cli", "bench")
                .whereLayer("os")
                .mayOnlyBeAccessedByLayers("net", "lua", "storage", "scan", "http", "trap", "cli", "bench")
                .whereLayer("os").mayNotAccessAnyLayer()
                .whereLayer("model").mayNotAccessAnyLayer()
                .check(weir);
    }

    /** The module lua is an exception, because it links LuaJIT, which is not part of the operating system. */
    @Test
    void onlyOneModuleCallsTheOperatingSystem() {
        noClasses().that().resideOutsideOfPackages("dev.weir.os..", "dev.weir.lua..")
                .should().dependOnClassesThat().haveFullyQualifiedName("java.lang.foreign.Linker")
                .check(weir);
    }

    /** Addresses and the encoding of domain names are values. Other classes of {@code java.net} use the network. */
    @Test
    void lowModulesOpenNoConnectionsAndLogNothing() {
        noClasses().that().resideInAnyPackage(LOW)
                .should().dependOnClassesThat(resideInAnyPackage("java.nio.channels..", "java.sql..", "org.slf4j..")
                        .or(resideInAPackage("java.net..").and(not(belongToAnyOf(InetAddress.class, Inet4Address.class,
                                Inet6Address.class, UnknownHostException.class, IDN.class)))))
                .check(weir);
        noClasses().that().resideInAnyPackage(LOW)
                .should().callMethod(InetAddress.class, "getByName", String.class)
                .orShould().callMethod(InetAddress.class, "getAllByName", String.class)
                .check(weir);
    }

    /** Asked in Java's way for the name of this machine, name servers that do not answer stop a start for a minute. */
    @Test
    void theNameOfThisMachineIsAskedOfTheSystem() {
        noClasses().that().areNotAssignableTo(HostName.class)
                .should().callMethod(InetAddress.class, "getLocalHost")
                .check(weir);
    }

    @Test
    void lowModulesStartNoThreads() {
        noClasses().that().resideInAnyPackage(LOW)
                .should().dependOnClassesThat(assignableTo(Thread.class).or(assignableTo(Executor.class)))
                .check(weir);
    }

    /** Two classes are exceptions: they read Rspamd's languages and configurations. */
    @Test
    void lowModulesReadNoOtherFiles() {
        noClasses().that().resideInAnyPackage(LOW)
                .and().doNotHaveFullyQualifiedName("dev.weir.hash.text.LanguageFolder")
                .and().doNotHaveFullyQualifiedName("dev.weir.config.source.DiskFiles")
                .should().dependOnClassesThat(belongToAnyOf(Files.class, File.class, FileInputStream.class,
                        FileOutputStream.class, RandomAccessFile.class))
                .check(weir);
    }

    /** The modules of the storage are packages below dev.weir.storage. Their order is that of the build. */
    @Test
    void theModulesOfTheStorageUseOnlyLowerOnes() {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("engine").definedBy(ENGINE)
                .layer("tools").definedBy("dev.weir.storage.database..", "dev.weir.storage.mirror..",
                        "dev.weir.storage.maintenance..", "dev.weir.storage.transfer..", "dev.weir.storage.trail..",
                        "dev.weir.storage.undo..", "dev.weir.storage.redis..", "dev.weir.storage.folder..")
                .layer("nodes").definedBy("dev.weir.storage.replication..", "dev.weir.storage.push..",
                        "dev.weir.storage.shared..")
                .layer("server").definedBy("dev.weir.storage.server..", "dev.weir.storage.access..",
                        "dev.weir.storage.admin..", "dev.weir.storage.hooks..", "dev.weir.storage.history..",
                        "dev.weir.storage.hits..", "dev.weir.storage.settings..", "dev.weir.storage.stats..")
                .whereLayer("server").mayNotBeAccessedByAnyLayer()
                .whereLayer("nodes").mayOnlyBeAccessedByLayers("server")
                .whereLayer("tools").mayOnlyBeAccessedByLayers("nodes", "server")
                .whereLayer("engine").mayNotAccessAnyLayer()
                .check(weir);
        noClasses().that().resideInAnyPackage(ENGINE)
                .should().dependOnClassesThat().resideInAnyPackage("java.sql..", "org.sqlite..", "redis.clients..")
                .check(weir);
    }

    @Test
    void noPackageHasACatchAllName() {
        noClasses().should().resideInAnyPackage("..util..", "..utils..", "..common..", "..misc..").check(weir);
    }

    @Test
    void packagesFormNoCycles() {
        slices().matching("dev.weir.(**)").should().beFreeOfCycles().check(weir);
    }

    @Test
    void everyPackageIsNullMarked() {
        classes().that().haveSimpleName("package-info")
                .should().beAnnotatedWith(org.jspecify.annotations.NullMarked.class)
                .check(weir);
    }
}
