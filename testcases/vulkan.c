/* Opening a device of Vulkan, and exporting memory and a semaphore of it. */
#include "testcases/vulkan.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_DEVICES   16

/* What an instance is asked for. */
#define FUNCTIONS(ROW)                                      \
	ROW(vkAllocateMemory)                               \
	ROW(vkBindBufferMemory)                             \
	ROW(vkCreateBuffer)                                 \
	ROW(vkCreateDevice)                                 \
	ROW(vkCreateSemaphore)                              \
	ROW(vkDestroyBuffer)                                \
	ROW(vkDestroyDevice)                                \
	ROW(vkDestroyInstance)                              \
	ROW(vkDestroySemaphore)                             \
	ROW(vkEnumeratePhysicalDevices)                     \
	ROW(vkFreeMemory)                                   \
	ROW(vkGetBufferMemoryRequirements2)                 \
	ROW(vkGetMemoryFdKHR)                               \
	ROW(vkGetPhysicalDeviceExternalBufferProperties)    \
	ROW(vkGetPhysicalDeviceExternalSemaphoreProperties) \
	ROW(vkGetPhysicalDeviceMemoryProperties)            \
	ROW(vkGetPhysicalDeviceProperties2)                 \
	ROW(vkGetSemaphoreCounterValue)                     \
	ROW(vkGetSemaphoreFdKHR)                            \
	ROW(vkSignalSemaphore)

#define MEMBER(name) PFN_##name name;
#define NAME(name)   #name,

static const char *const names[] = {FUNCTIONS(NAME)};

/* In the order of their names. */
static union {
	struct {
		FUNCTIONS(MEMBER)
	};
	PFN_vkVoidFunction list[LENGTH(names)];
} vk;

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkBuffer buffer;
static VkDeviceMemory memory;
static VkSemaphore semaphore;

/* NULL for a success, else what is missing, with what Vulkan answered. */
static const char *unless(VkResult result, const char *missing)
{
	static char sentence[160];

	if (result >= 0)
		return NULL;
	snprintf(sentence, sizeof(sentence), "%s (VkResult %d)", missing, result);
	return sentence;
}

static const char *create_instance(PFN_vkGetInstanceProcAddr find)
{
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					       .apiVersion = VK_API_VERSION_1_2};
	const VkInstanceCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					     .pApplicationInfo = &application};
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)find(NULL, "vkCreateInstance");

	if (!create)
		return "libvulkan.so.1 has no vkCreateInstance";
	return unless(create(&wanted, NULL, &instance),
		      "libvulkan.so.1 makes no instance of Vulkan 1.2; it may have no driver");
}

static const char *find_functions(PFN_vkGetInstanceProcAddr find)
{
	size_t i;

	for (i = 0; i < LENGTH(names); i++) {
		vk.list[i] = find(instance, names[i]);
		if (!vk.list[i])
			return "no driver of Vulkan here exports memory and semaphores as files";
	}
	return NULL;
}

static const char *load(void)
{
	void *library = dlopen("libvulkan.so.1", RTLD_NOW);
	PFN_vkGetInstanceProcAddr find;
	const char *missing;

	if (!library)
		return "this machine has no loader of Vulkan, libvulkan.so.1";
	find = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
	if (!find)
		return "libvulkan.so.1 has no vkGetInstanceProcAddr";
	missing = create_instance(find);
	return missing ? missing : find_functions(find);
}

static bool is_wanted(VkPhysicalDevice candidate, const void *uuid)
{
	VkPhysicalDeviceIDProperties id = {.sType =
						   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					   .pNext = &id};

	vk.vkGetPhysicalDeviceProperties2(candidate, &all);
	return all.properties.apiVersion >= VK_API_VERSION_1_2 &&
	       !memcmp(id.deviceUUID, uuid, VK_UUID_SIZE);
}

static const char *find_device(const void *uuid)
{
	VkPhysicalDevice all[MAX_DEVICES];
	uint32_t i, count = MAX_DEVICES;
	const char *missing = unless(vk.vkEnumeratePhysicalDevices(instance, &count, all),
				     "Vulkan lists no devices");

	if (missing)
		return missing;
	for (i = 0; i < count; i++)
		if (is_wanted(all[i], uuid))
			physical = all[i];
	return physical ? NULL : "no device of Vulkan 1.2 is the one that CUDA uses";
}

/* With one queue, since there has to be one; nothing is put into it. */
static const char *create_device(void)
{
	static const char *const extensions[] = {"VK_KHR_external_memory_fd",
						 "VK_KHR_external_semaphore_fd"};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
		.timelineSemaphore = VK_TRUE};
	const VkDeviceCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					   .pNext = &timeline,
					   .queueCreateInfoCount = 1,
					   .pQueueCreateInfos = &queue,
					   .enabledExtensionCount = LENGTH(extensions),
					   .ppEnabledExtensionNames = extensions};

	return unless(vk.vkCreateDevice(physical, &wanted, NULL, &device),
		      "Vulkan makes no device that exports files and has timeline semaphores");
}

const char *vulkan_open(const void *uuid)
{
	const char *missing = NULL;

	if (device)
		return NULL;
	missing = load();
	if (!missing)
		missing = find_device(uuid);
	return missing ? missing : create_device();
}

static const VkExternalMemoryBufferCreateInfo exported_buffer = {
	.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
	.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
static const VkBufferUsageFlags usage =
	VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

static bool can_export_memory(void)
{
	const VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = usage,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkExternalBufferProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};

	vk.vkGetPhysicalDeviceExternalBufferProperties(physical, &info, &can);
	return can.externalMemoryProperties.externalMemoryFeatures &
	       VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
}

/* The first type of memory on the device that the buffer can be in; -1 if there is none. */
static int memory_type(uint32_t allowed)
{
	VkPhysicalDeviceMemoryProperties all;
	uint32_t i;

	vk.vkGetPhysicalDeviceMemoryProperties(physical, &all);
	for (i = 0; i < all.memoryTypeCount; i++)
		if (allowed & 1u << i &&
		    all.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
			return (int)i;
	return -1;
}

/* Room for the buffer, of its own if the driver wants that. */
static VkResult allocate(struct exported_memory *made)
{
	VkMemoryDedicatedRequirements alone = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
				       .pNext = &alone};
	const VkBufferMemoryRequirementsInfo2 of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = buffer};
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = buffer};
	VkExportMemoryAllocateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkMemoryAllocateInfo wanted = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				       .pNext = &exported};
	int type;

	vk.vkGetBufferMemoryRequirements2(device, &of, &needs);
	type = memory_type(needs.memoryRequirements.memoryTypeBits);
	if (type < 0)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	made->size_bytes = needs.memoryRequirements.size;
	made->is_dedicated = alone.requiresDedicatedAllocation || alone.prefersDedicatedAllocation;
	if (made->is_dedicated)
		exported.pNext = &dedicated;
	wanted.allocationSize = made->size_bytes;
	wanted.memoryTypeIndex = (uint32_t)type;
	return vk.vkAllocateMemory(device, &wanted, NULL, &memory);
}

const char *vulkan_export_memory(struct exported_memory *made, size_t bytes)
{
	const VkBufferCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					   .pNext = &exported_buffer,
					   .size = bytes,
					   .usage = usage};
	VkMemoryGetFdInfoKHR file = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
				     .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};

	VkResult result;

	if (!can_export_memory())
		return "this driver of Vulkan exports no memory";
	result = vk.vkCreateBuffer(device, &wanted, NULL, &buffer);
	if (!result)
		result = allocate(made);
	if (!result)
		result = vk.vkBindBufferMemory(device, buffer, memory, 0);
	file.memory = memory;
	if (!result)
		result = vk.vkGetMemoryFdKHR(device, &file, &made->fd);
	return unless(result, "Vulkan exports no memory on the device");
}

static bool can_export_semaphore(const VkSemaphoreTypeCreateInfo *type)
{
	const VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.pNext = type,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkExternalSemaphoreProperties can = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};

	vk.vkGetPhysicalDeviceExternalSemaphoreProperties(physical, &info, &can);
	return can.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

const char *vulkan_export_semaphore(int *fd, bool is_timeline)
{
	const VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType =
			is_timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
	const VkExportSemaphoreCreateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.pNext = &type,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkSemaphoreCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					      .pNext = &exported};
	VkSemaphoreGetFdInfoKHR file = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
					.handleType =
						VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};

	VkResult result;

	if (!can_export_semaphore(&type))
		return "this driver of Vulkan exports no such semaphore";
	result = vk.vkCreateSemaphore(device, &wanted, NULL, &semaphore);
	file.semaphore = semaphore;
	if (!result)
		result = vk.vkGetSemaphoreFdKHR(device, &file, fd);
	return unless(result, "Vulkan exports no semaphore");
}

const char *vulkan_set_value(uint64_t value)
{
	const VkSemaphoreSignalInfo wanted = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
					      .semaphore = semaphore,
					      .value = value};

	return unless(vk.vkSignalSemaphore(device, &wanted), "vkSignalSemaphore failed");
}

const char *vulkan_get_value(uint64_t *value)
{
	return unless(vk.vkGetSemaphoreCounterValue(device, semaphore, value),
		      "vkGetSemaphoreCounterValue failed");
}

/* The library stays: what drivers of Vulkan leave running must not lose its code. */
void vulkan_close(void)
{
	if (device) {
		vk.vkDestroySemaphore(device, semaphore, NULL);
		vk.vkDestroyBuffer(device, buffer, NULL);
		vk.vkFreeMemory(device, memory, NULL);
		vk.vkDestroyDevice(device, NULL);
	}
	if (instance)
		vk.vkDestroyInstance(instance, NULL);
	device = NULL;
	instance = NULL;
}
